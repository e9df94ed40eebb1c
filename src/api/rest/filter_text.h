#pragma once

#include <string_view>
#include <vector>

#include "entities/application.h"
#include "entities/read/pattern_reader.h"
#include "error/result.h"

// Filters as addresses spell them: Total=gte.1000, or=(Status.eq.DRAFT,Total.gt.5).
namespace monotable::api::rest {

// The type of an attribute by its path (Address.City), if clients may see it; null otherwise.
const model::TypeModel* VisibleType(const entities::Entity& entity, std::string_view path);

// Operator and value (`gte.1000`), or a value alone, which is eq. Lists of `in` and `between` may
// be in parentheses, and values that contain commas in double quotes.
Result<entities::Filter> ParseFilter(const entities::Entity& entity, std::string_view attribute,
                                     std::string_view text);

// (Status.eq.DRAFT,Total.gt.5): filters of which one must hold.
Result<std::vector<entities::Filter>> ParseAlternatives(const entities::Entity& entity,
                                                        std::string_view text);

}  // namespace monotable::api::rest

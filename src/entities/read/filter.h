#pragma once

#include <optional>
#include <vector>

#include "entities/read/item_attributes.h"
#include "entities/read/read.h"
#include "error/result.h"
#include "model/rule/rule.h"

// What leaves items out after their keys were read.
namespace monotable::entities {

// Whether the item is as a filter says. Moments are compared as moments, whatever their stored
// form. A missing attribute is not equal to anything and otherwise fits no comparison, as in
// DynamoDB.
bool Fits(const Entity& entity, ItemAttributes& attributes, const Filter& filter);

// Of each list at least one filter must fit.
bool FitsAll(const Entity& entity, ItemAttributes& attributes,
             const std::vector<std::vector<Filter>>& filters);

// Whether a pattern's own filter holds.
Result<bool> Holds(const model::Rule& rule, ItemAttributes& attributes, int64_t now_ms);

}  // namespace monotable::entities

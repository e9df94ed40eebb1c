#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "item/value.h"
#include "model/instant.h"
#include "model/type.h"

// Instants as clients write and read them: ISO 8601, whatever form the table stores.
namespace monotable::entities {

// What a client may write: 2026-01-30T14:30:00 with up to three digits of a fraction, and Z or an
// offset (+03:00). Nothing if it is not that, or not between the years 0001 and 9999.
std::optional<model::Instant> ReadClientInstant(std::string_view text);

// Whether the type's stored form can hold the moment to the millisecond.
bool HoldsExactly(const model::TypeModel& type, model::Instant instant);

// How clients see it: with milliseconds if it has any, or if the type keeps them.
std::string ClientText(model::Instant instant, bool milliseconds);

}  // namespace monotable::entities

#pragma once

#include <optional>

#include "item/value.h"

// What ADD and DELETE do with sets.
namespace monotable::expression {

bool IsSet(item::Type type);

// Both values must be sets of the same type, here and below.
item::Value Union(const item::Value& a, const item::Value& b);

// The members of a that are not in b; none if that leaves nothing, as there are no empty sets.
std::optional<item::Value> Difference(const item::Value& a, const item::Value& b);

}  // namespace monotable::expression

#pragma once

#include <compare>
#include <optional>

#include "item/number.h"
#include "item/value.h"

// How expressions compare values. Everything here takes time in proportion to what it looks at, and
// charges for it (work/meter.h) before it looks. Work that is stopped answers anything.
namespace monotable::expression {

// Whether <, <=, >, >= and BETWEEN take values of this type.
bool IsOrdered(item::Type type);

// The equality of item::Value.
bool Equal(const item::Value& a, const item::Value& b);

// Numbers by value, strings and binaries by their bytes; unordered for any other types and for
// values of different types.
std::partial_ordering Compare(const item::Value& a, const item::Value& b);

// Whether a string or binary begins with the prefix.
bool BeginsWith(const item::Value& value, const item::Value& prefix);

// Whether the value contains the part: a substring, a part of a binary, a member of a set or an
// element of a list.
bool Contains(const item::Value& value, const item::Value& part);

// What size() answers: UTF-16 code units of a string, bytes of a binary, members of a set, list
// or map; none for the other types.
std::optional<item::Number> LogicalSize(const item::Value& value);

}  // namespace monotable::expression

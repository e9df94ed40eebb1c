#pragma once

#include <cstddef>

#include "item/value.h"

namespace monotable::item {

inline constexpr size_t kMaxItemBytes = 409600;
inline constexpr int kMaxNesting = 32;  // levels of maps and lists, the item itself included

// The size the service charges and limits: UTF-8 bytes of names plus value sizes; 3 bytes for a
// list or map and 1 for each of its members; 1 for a boolean or null.
size_t SizeOf(const Value& value);
size_t SizeOf(const Item& item);

// Levels of lists and maps below this value: 0 for a scalar, 1 for an empty map.
int DepthOf(const Value& value);

}  // namespace monotable::item

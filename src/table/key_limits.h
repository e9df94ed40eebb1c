#pragma once

#include <cstddef>

namespace monotable::table {

inline constexpr size_t kMaxHashKeyBytes = 2048;
inline constexpr size_t kMaxRangeKeyBytes = 1024;

}  // namespace monotable::table

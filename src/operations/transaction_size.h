#pragma once

#include <cstddef>

namespace monotable::operations {

// The items of one transaction, read or written, together.
inline constexpr size_t kMaxTransactionBytes = 4 * 1024 * 1024;

}  // namespace monotable::operations

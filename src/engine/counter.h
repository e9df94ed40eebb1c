#pragma once

#include <cstdint>
#include <string_view>

#include "error/result.h"
#include "storage/store.h"

namespace monotable::engine {

// The value of a counter (storage::Batch::Increment) as the reader sees it; zero if it was never
// counted.
Result<int64_t> ReadCounter(const storage::Reader& reader, std::string_view key);

}  // namespace monotable::engine

#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "error/result.h"
#include "storage/store.h"

namespace monotable::storage {

// The value of a counter as Batch::Increment keeps it: eight bytes, little-endian.
inline std::array<char, 8> EncodeCounter(int64_t count) {
  std::array<char, 8> bytes;
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(static_cast<uint64_t>(count) >> (8 * i));
  }
  return bytes;
}

// Anything that is not eight bytes long was not written by Increment and counts as zero.
inline int64_t DecodeCounter(std::string_view bytes) {
  if (bytes.size() != 8) return 0;
  uint64_t count = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    count |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return static_cast<int64_t>(count);
}

// Counters wrap instead of overflowing, which is undefined for signed integers.
inline int64_t AddToCounter(int64_t count, int64_t delta) {
  return static_cast<int64_t>(static_cast<uint64_t>(count) + static_cast<uint64_t>(delta));
}

// The value of a counter as the reader sees it; zero if the counter was never incremented.
Result<int64_t> ReadCounter(const Reader& reader, std::string_view key);

}  // namespace monotable::storage

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace monotable::load {

// Counts of durations in nanoseconds, in buckets that are at most 1/128 of their values wide: exact
// below 256, then 128 buckets for every doubling. A percentile is the middle of its bucket, so it
// is wrong by less than half a percent. Not thread-safe.
class Histogram {
 public:
  void Add(uint64_t value);

  uint64_t count() const { return count_; }
  // Exact.
  uint64_t max() const { return max_; }
  // The value that the given share of all values does not exceed; 0 when there are none.
  uint64_t Percentile(double share) const;

 private:
  static constexpr int kDoublingBits = 7;
  static constexpr size_t kBuckets = size_t{64 - kDoublingBits + 1} << kDoublingBits;

  static size_t BucketOf(uint64_t value);
  static uint64_t MiddleOf(size_t bucket);

  std::array<uint64_t, kBuckets> buckets_ = {};
  uint64_t count_ = 0;
  uint64_t max_ = 0;
};

}  // namespace monotable::load

#include "load/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace monotable::load {

void Histogram::Add(uint64_t value) {
  ++buckets_[BucketOf(value)];
  ++count_;
  max_ = std::max(max_, value);
}

uint64_t Histogram::Percentile(double share) const {
  const auto rank = static_cast<uint64_t>(std::ceil(share * static_cast<double>(count_)));
  uint64_t seen = 0;
  for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
    seen += buckets_[bucket];
    if (seen > 0 && seen >= rank) return std::min(MiddleOf(bucket), max_);
  }
  return max_;
}

// The highest eight bits of a value say its bucket; how far they are shifted, its doubling.
size_t Histogram::BucketOf(uint64_t value) {
  const int shift = std::max(0, static_cast<int>(std::bit_width(value)) - kDoublingBits - 1);
  return (static_cast<size_t>(shift) << kDoublingBits) + static_cast<size_t>(value >> shift);
}

uint64_t Histogram::MiddleOf(size_t bucket) {
  if (bucket < (size_t{2} << kDoublingBits)) return bucket;
  const size_t shift = (bucket >> kDoublingBits) - 1;
  const uint64_t lowest = (bucket - (shift << kDoublingBits)) << shift;
  return lowest + (uint64_t{1} << shift) / 2;
}

}  // namespace monotable::load

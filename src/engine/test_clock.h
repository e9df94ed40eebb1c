#pragma once

#include <atomic>
#include <cstdint>

#include "engine/clock.h"

namespace monotable::engine {

// A clock that stands still until somebody advances it, and never goes back. It is for tests of
// behaviour that takes days. Thread-safe.
class TestClock : public Clock {
 public:
  explicit TestClock(int64_t now_ms) : now_ms_(now_ms) {}

  int64_t NowMs() const override { return now_ms_.load(); }
  // Returns the new time.
  int64_t Advance(int64_t by_ms) { return now_ms_.fetch_add(by_ms) + by_ms; }

 private:
  std::atomic<int64_t> now_ms_;
};

}  // namespace monotable::engine

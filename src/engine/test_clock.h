#pragma once

#include <atomic>
#include <cstdint>

#include "engine/clock.h"

namespace monotable::engine {

// A clock that tests advance, and that never goes back. It is for tests of behaviour that takes
// days. Between two advances the time stands still, or runs like the system's time. Thread-safe.
class TestClock : public Clock {
 public:
  enum class Pace { kStands, kRuns };

  // For a clock that stands, the shift is the time since the epoch. For a clock that runs, the
  // shift is its lead over the system's time.
  explicit TestClock(int64_t shift_ms, Pace pace = Pace::kStands)
      : pace_(pace), shift_ms_(shift_ms) {}

  int64_t NowMs() const override { return TimeAt(shift_ms_.load()); }
  // Returns the new time.
  int64_t Advance(int64_t by_ms) { return TimeAt(shift_ms_.fetch_add(by_ms) + by_ms); }
  // Another clock with this shift shows the same time.
  int64_t shift_ms() const { return shift_ms_.load(); }

 private:
  int64_t TimeAt(int64_t shift_ms) const {
    return pace_ == Pace::kRuns ? shift_ms + system_.NowMs() : shift_ms;
  }

  const Pace pace_;
  const SystemClock system_;
  std::atomic<int64_t> shift_ms_;
};

}  // namespace monotable::engine

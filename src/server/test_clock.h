#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/clock.h"

namespace monotable::server {

// A time that tests move, and that never goes back: for tests of what takes days. Between the
// moves the time stands still, or runs like that of the system. Thread-safe.
class TestClock : public engine::Clock {
 public:
  enum class Pace { kStands, kRuns };

  // The shift is the time since the epoch for a clock that stands, and the lead over the system's
  // time for one that runs.
  explicit TestClock(int64_t shift_ms, Pace pace = Pace::kStands)
      : pace_(pace), shift_ms_(shift_ms) {}

  int64_t NowMs() const override { return TimeAt(shift_ms_.load()); }
  // Returns the new time.
  int64_t Advance(int64_t by_ms) { return TimeAt(shift_ms_.fetch_add(by_ms) + by_ms); }
  // With which another clock shows the same time.
  int64_t shift_ms() const { return shift_ms_.load(); }

 private:
  int64_t TimeAt(int64_t shift_ms) const {
    return pace_ == Pace::kRuns ? shift_ms + system_.NowMs() : shift_ms;
  }

  const Pace pace_;
  const engine::SystemClock system_;
  std::atomic<int64_t> shift_ms_;
};

// The moment at which a test clock starts: 2026-01-30T14:30:00Z, or with milliseconds, or `now`.
std::optional<int64_t> ParseTestClock(std::string_view text);

}  // namespace monotable::server

#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/clock.h"

namespace monotable::server {

// A time that stands still until it is moved, and never goes back: for tests of what takes days.
// Thread-safe.
class TestClock : public engine::Clock {
 public:
  explicit TestClock(int64_t now_ms) : now_ms_(now_ms) {}

  int64_t NowMs() const override { return now_ms_.load(); }
  // Returns the new time.
  int64_t Advance(int64_t by_ms) { return now_ms_.fetch_add(by_ms) + by_ms; }

 private:
  std::atomic<int64_t> now_ms_;
};

// The moment at which a test clock starts: 2026-01-30T14:30:00Z, or with milliseconds, or `now`.
std::optional<int64_t> ParseTestClock(std::string_view text);

}  // namespace monotable::server

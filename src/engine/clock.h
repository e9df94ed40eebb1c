#pragma once

#include <cstdint>

namespace monotable::engine {

// The time of day, behind an interface so that tests can advance it. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t NowMs() const = 0;  // milliseconds since the epoch
};

class SystemClock : public Clock {
 public:
  int64_t NowMs() const override;
};

}  // namespace monotable::engine

#include "engine/clock.h"

#include <chrono>

namespace monotable::engine {

int64_t SystemClock::NowMs() const {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace monotable::engine

#include "storage/commit_clock.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace monotable::storage {

namespace {

int64_t SystemTimeMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

CommitClock::CommitClock(uint64_t last_sequence, std::function<int64_t()> now)
    : now_(now ? std::move(now) : SystemTimeMs), last_sequence_(last_sequence) {}

void CommitClock::ReadTime() {
  time_ms_ = std::max(time_ms_, now_());
}

}  // namespace monotable::storage

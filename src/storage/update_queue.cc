#include "storage/update_queue.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "work/wakeups.h"

namespace monotable::storage {

void UpdateQueue::Push(std::unique_ptr<Update> update) {
  const bool heavy = IsHeavy(*update);
  bool wake = false;
  {
    std::lock_guard lock(mutex_);
    if (heavy) {
      heavy_.push_back(std::move(update));
    } else {
      waiting_.push_back(std::move(update));
    }
    wake = std::exchange(taker_sleeps_, false);
  }
  if (wake) work::Wake([taker = wake_] { taker->notify_one(); });
}

void UpdateQueue::Close() {
  std::lock_guard lock(mutex_);
  closed_ = true;
  wake_->notify_one();
}

bool UpdateQueue::Take(Updates* taken) {
  std::unique_lock lock(mutex_);
  while (empty()) {
    if (closed_) return false;
    taker_sleeps_ = true;
    wake_->wait(lock);
  }
  taker_sleeps_ = false;
  Move(taken);
  return true;
}

void UpdateQueue::TryTake(Updates* taken) {
  std::lock_guard lock(mutex_);
  Move(taken);
}

void UpdateQueue::Move(Updates* taken) {
  waiting_.swap(*taken);
  if (heavy_.empty()) return;
  taken->push_back(std::move(heavy_.front()));
  heavy_.pop_front();
}

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

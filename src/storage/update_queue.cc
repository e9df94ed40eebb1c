#include "storage/update_queue.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "work/wakeups.h"

namespace monotable::storage {

namespace {

// Light updates come as long as their pauses are no longer than this.
constexpr auto kLongestPause = std::chrono::milliseconds(50);
// A client that waits for each answer sends its next update in less time than this, or than a part
// of the last turn, if the machine is slow.
constexpr auto kMoment = std::chrono::milliseconds(3);
constexpr int kPartOfTurn = 4;
// Of a heavy turn while light updates come: two large items, which share a sync, and a few
// milliseconds of writing.
constexpr size_t kSmallTurnBytes = size_t{800} << 10;

}  // namespace

void HeavyTurns::RanHeavy(Time begin, Time end) {
  heavy_end_ = end;
  rest_end_ = end + (end - begin);
}

HeavyTurn HeavyTurns::Next(Time now) const {
  HeavyTurn turn;
  // Light updates that came during the last turn have not run yet.
  const auto last_turn = rest_end_ - heavy_end_;
  if (!light_end_ || now - *light_end_ > last_turn + kLongestPause) return turn;
  const auto moment = std::max<Time::duration>(kMoment, last_turn / kPartOfTurn);
  turn.begin = std::min(rest_end_, std::max(heavy_end_, *light_end_) + moment);
  turn.bytes = kSmallTurnBytes;
  return turn;
}

void UpdateQueue::Push(std::unique_ptr<Update> update) {
  const bool heavy = IsHeavy(*update);
  bool wake = false;
  {
    std::lock_guard lock(mutex_);
    if (heavy) {
      heavy_.push_back(std::move(update));
    } else {
      light_.push_back(std::move(update));
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

bool UpdateQueue::Take(Updates* taken, const HeavyTurn& turn) {
  std::unique_lock lock(mutex_);
  const auto begun = [&] { return closed_ || std::chrono::steady_clock::now() >= turn.begin; };
  while (light_.empty() && (heavy_.empty() || !begun())) {
    if (closed_) return false;
    taker_sleeps_ = true;
    if (heavy_.empty()) {
      wake_->wait(lock);
    } else {
      wake_->wait_until(lock, turn.begin);
    }
  }
  taker_sleeps_ = false;
  MoveLight(taken);
  if (!heavy_.empty() && begun()) MoveHeavy(taken, turn.bytes);
  return true;
}

void UpdateQueue::TryTake(Updates* taken) {
  std::lock_guard lock(mutex_);
  MoveLight(taken);
  MoveHeavy(taken, HeavyTurn().bytes);
}

void UpdateQueue::MoveLight(Updates* taken) {
  light_.swap(*taken);
}

void UpdateQueue::MoveHeavy(Updates* taken, size_t bytes) {
  size_t moved_bytes = 0;
  while (!heavy_.empty()) {
    const size_t weight = heavy_.front()->weight();
    if (moved_bytes > 0 && moved_bytes + weight > bytes) return;
    moved_bytes += weight;
    taken->push_back(std::move(heavy_.front()));
    heavy_.pop_front();
  }
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

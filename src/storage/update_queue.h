#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "storage/store.h"

namespace monotable::storage {

inline bool IsHeavy(const Update& update) {
  return update.weight() > kHeavyUpdateBytes;
}

// When the taker of a queue next wants heavy updates, and how many. At least one comes, and more as
// long as all of them together weigh no more than `bytes`.
struct HeavyTurn {
  std::chrono::steady_clock::time_point begin = {};
  size_t bytes = size_t{1} << 20;
};

// Shares the time of the one thread that runs a store's updates between light and heavy updates.
// For that thread; not thread-safe.
//
// A light update that comes while heavy ones run waits until they are done. If the next heavy ones
// followed at once, a client that sends one light update after the other would get one of them done
// for each turn of the heavy ones, however quick its own updates are. So, while light updates come,
// turns of heavy ones are small, and each is followed by a rest, in which the thread runs light
// updates only. The rest ends when no light update has come for a moment, and at the latest when it
// was as long as the turn: heavy updates have half of the time at least. Without light updates
// there are no rests, and turns are large, because the updates of a turn share a sync.
class HeavyTurns {
 public:
  using Time = std::chrono::steady_clock::time_point;

  void RanLight(Time end) { light_end_ = end; }
  void RanHeavy(Time begin, Time end);

  HeavyTurn Next(Time now) const;

 private:
  std::optional<Time> light_end_;
  Time heavy_end_ = {};
  Time rest_end_ = {};
};

// The updates that wait for the one thread that runs a store's updates. Thread-safe: any thread may
// push, and one thread takes. The taker gets all waiting updates at once, so that those that gather
// while it is busy become its next group. A push is a move into a vector under a lock that is never
// held for long, and wakes the taker only if it sleeps.
//
// Heavy updates have a queue of their own. The taker gets a few of them at a time, behind all the
// others, when it wants them.
class UpdateQueue {
 public:
  using Updates = std::vector<std::unique_ptr<Update>>;

  void Push(std::unique_ptr<Update> update);

  // Announces that no more pushes come. Updates that wait are still taken.
  void Close();

  // Waits until there is a light update, or a heavy one and its turn has begun. Then moves all
  // light updates into *taken, which must be empty, and behind them the heavy ones of the turn, if
  // it has begun. Returns false when the queue is closed and empty. A queue that is closed does not
  // wait.
  bool Take(Updates* taken, const HeavyTurn& turn = {});

  // The same without waiting; *taken stays empty if nothing waits.
  void TryTake(Updates* taken);

 private:
  // The caller holds mutex_.
  void MoveLight(Updates* taken);
  void MoveHeavy(Updates* taken, size_t bytes);

  std::mutex mutex_;
  // Shared with wakeups that a thread postpones, possibly longer than the queue lives.
  const std::shared_ptr<std::condition_variable> wake_ =
      std::make_shared<std::condition_variable>();
  Updates light_;
  std::deque<std::unique_ptr<Update>> heavy_;
  bool taker_sleeps_ = false;
  bool closed_ = false;
};

// Hands out the commits of a store. For the one thread that runs the updates; not thread-safe.
class CommitClock {
 public:
  // Sequences continue after last_sequence. An empty `now` means the system's clock.
  CommitClock(uint64_t last_sequence, std::function<int64_t()> now);

  // Reads the time, once for all the updates that are committed together. If the wall clock is set
  // back, the time of commits stands still until the clock has caught up.
  void ReadTime();

  // The commit with which the next update is decided.
  Commit next() const { return {last_sequence_ + 1, time_ms_}; }

  // The next update wrote something and keeps its sequence. An update that writes nothing leaves
  // its sequence to the next update, because nothing stored refers to it.
  void Consume() { ++last_sequence_; }

  uint64_t last_sequence() const { return last_sequence_; }
  // Takes back the sequences of updates that left nothing behind.
  void Rewind(uint64_t last_sequence) { last_sequence_ = last_sequence; }

 private:
  std::function<int64_t()> now_;
  uint64_t last_sequence_;
  int64_t time_ms_ = 0;
};

}  // namespace monotable::storage

#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "storage/store.h"

namespace monotable::storage {

inline bool IsHeavy(const Update& update) {
  return update.weight() > kHeavyUpdateBytes;
}

// The updates that wait for the one thread that runs a store's updates. Thread-safe: any thread may
// push, and one thread takes. The taker gets all waiting updates at once, so that those that gather
// while it is busy become its next group. A push is a move into a vector under a lock that is never
// held for long, and wakes the taker only if it sleeps.
//
// Heavy updates have a queue of their own. The taker gets one of them at a time, behind all the
// others, so that the others never wait for more than one, and the heavy ones wait for one turn
// of the others each.
class UpdateQueue {
 public:
  using Updates = std::vector<std::unique_ptr<Update>>;

  void Push(std::unique_ptr<Update> update);

  // Announces that no more pushes come. Updates that wait are still taken.
  void Close();

  // Waits until there is an update, then moves all waiting updates into *taken, which must be
  // empty, except for the heavy ones: at most one, at the end. Returns false when the queue is
  // closed and empty.
  bool Take(Updates* taken);

  // The same without waiting; *taken stays empty if nothing waits.
  void TryTake(Updates* taken);

 private:
  // The caller holds mutex_.
  bool empty() const { return waiting_.empty() && heavy_.empty(); }
  void Move(Updates* taken);

  std::mutex mutex_;
  // Shared with wakeups that a thread postpones, possibly longer than the queue lives.
  const std::shared_ptr<std::condition_variable> wake_ =
      std::make_shared<std::condition_variable>();
  Updates waiting_;
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

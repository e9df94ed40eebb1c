#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "storage/store.h"

namespace monotable::storage {

// What waits for the one thread that runs a store's updates. Any thread pushes; one takes. The
// taker gets everything that waits at once, so that what gathers while it is busy becomes its next
// group. A push is a move into a vector under a lock that nobody holds for long, and wakes the
// taker only if it sleeps.
class UpdateQueue {
 public:
  using Updates = std::vector<std::unique_ptr<Update>>;

  void Push(std::unique_ptr<Update> update);

  // No pushes come after this. What waits is still taken.
  void Close();

  // Swaps everything that waits into *taken, which must be empty, after waiting for something to
  // be there; false when the queue is closed and empty.
  bool Take(Updates* taken);

  // The same without waiting; *taken stays empty if nothing waits.
  void TryTake(Updates* taken);

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  Updates waiting_;
  bool taker_sleeps_ = false;
  bool closed_ = false;
};

// Hands out the commits of a store. For the one thread that runs the updates; not thread-safe.
class CommitClock {
 public:
  // Sequences go on after last_sequence. An empty now is the system's clock.
  CommitClock(uint64_t last_sequence, std::function<int64_t()> now);

  // Reads the time, once for all the updates that are committed together. A wall clock that is set
  // back stands still here until it has caught up.
  void ReadTime();

  // What the next update is decided with.
  Commit next() const { return {last_sequence_ + 1, time_ms_}; }

  // The next update wrote something and keeps its sequence. An update that writes nothing leaves
  // its sequence to the next one: nothing stored can tell.
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

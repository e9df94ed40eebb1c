#pragma once

#include <cstdint>
#include <functional>

#include "storage/store.h"

namespace monotable::storage {

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

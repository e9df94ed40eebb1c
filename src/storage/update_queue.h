#pragma once

#include <condition_variable>
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

}  // namespace monotable::storage

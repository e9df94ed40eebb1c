#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace monotable::engine {

// A few threads for requests that take long or wait for the disk, so that the I/O threads never do.
// Thread-safe. One mutex guards the queue. Destroying it runs what is queued, then joins.
class WorkerPool {
 public:
  using Task = std::function<void()>;

  WorkerPool(size_t threads, size_t max_queued);
  ~WorkerPool();

  // False if too many tasks are waiting already; the task was not taken then.
  bool TryPost(Task task);

 private:
  void Work();

  const size_t max_queued_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;  // guarded by mutex_
  bool stopping_ = false;   // guarded by mutex_
  std::vector<std::thread> threads_;
};

}  // namespace monotable::engine

#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "error/result.h"

namespace monotable::work {

struct ExecutorOptions {
  size_t threads = 8;               // run everything
  size_t continuation_threads = 2;  // run continuations only
  size_t max_queued = 10000;        // tasks that wait for a thread; past it new ones are refused
};

// The threads of a server for work that takes long or waits for the disk, so that the I/O threads
// and the store's writer never do. The server makes one executor and hands it to the front doors
// and to the models.
//
// There are two kinds of work. New work is posted, and refused when too much is waiting. A
// continuation is the next step of work that was accepted before, for example a write that has to
// be planned again because another write came first. Refusing a continuation would lose a request
// that somebody waits for, so the executor takes every one; each accepted request has at most one,
// which bounds them. Continuations go before new work and have threads of their own: they make
// progress even while every other thread is inside a long task such as a backup of the server.
//
// A task may wait for the store. It must not wait for another task of the same executor.
//
// Thread-safe. One mutex guards both queues.
class Executor {
 public:
  using Task = std::function<void()>;

  explicit Executor(const ExecutorOptions& options = {});
  ~Executor() { Stop(); }

  // Has the task run soon. Otherwise the error is that of the service for too many requests
  // (kThrottling), and the task does not run.
  Status Post(Task task);
  // Has the next step of accepted work run soon. Must not be called after Stop.
  void Continue(Task task);

  // Takes no new work from now on, and returns when all that was taken has run. What that work has
  // begun may still continue.
  void Drain();
  // Drains, runs the continuations that are left, and joins the threads. Whoever continues accepted
  // work from other threads must be done with it before.
  void Stop();

 private:
  void Work(bool continuations_only);

  const size_t max_queued_;
  std::mutex mutex_;
  std::condition_variable posted_;     // for the threads that run everything
  std::condition_variable continued_;  // for those that run continuations only
  std::condition_variable idle_;       // for Drain
  std::deque<Task> tasks_;             // guarded by mutex_
  std::deque<Task> continuations_;     // guarded by mutex_
  size_t running_ = 0;                 // of the new work; guarded by mutex_
  bool draining_ = false;              // guarded by mutex_
  bool stopping_ = false;              // guarded by mutex_
  std::vector<std::thread> threads_;
};

}  // namespace monotable::work

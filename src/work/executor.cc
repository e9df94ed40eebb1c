#include "work/executor.h"

#include <utility>

namespace monotable::work {

Executor::Executor(const ExecutorOptions& options) : max_queued_(options.max_queued) {
  threads_.reserve(options.threads + options.continuation_threads);
  for (size_t i = 0; i < options.threads; ++i) threads_.emplace_back([this] { Work(false); });
  for (size_t i = 0; i < options.continuation_threads; ++i) {
    threads_.emplace_back([this] { Work(true); });
  }
}

Status Executor::Post(Task task) {
  {
    const std::lock_guard lock(mutex_);
    if (draining_ || tasks_.size() >= max_queued_) {
      return Error(ErrorCode::kThrottling, "Rate of requests exceeds the allowed throughput.");
    }
    tasks_.push_back(std::move(task));
  }
  posted_.notify_one();
  return {};
}

void Executor::Continue(Task task) {
  {
    const std::lock_guard lock(mutex_);
    continuations_.push_back(std::move(task));
  }
  // Whichever of the threads is free first takes the task.
  continued_.notify_one();
  posted_.notify_one();
}

void Executor::Drain() {
  std::unique_lock lock(mutex_);
  draining_ = true;
  idle_.wait(lock, [this] { return tasks_.empty() && running_ == 0; });
}

void Executor::Stop() {
  Drain();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  posted_.notify_all();
  continued_.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void Executor::Work(bool continuations_only) {
  std::condition_variable& changed = continuations_only ? continued_ : posted_;
  std::unique_lock lock(mutex_);
  while (true) {
    changed.wait(lock, [&] {
      return stopping_ || !continuations_.empty() || (!continuations_only && !tasks_.empty());
    });
    const bool is_new = continuations_.empty();
    if (is_new && (continuations_only || tasks_.empty())) return;
    std::deque<Task>& queue = is_new ? tasks_ : continuations_;
    if (is_new) ++running_;
    {
      Task task = std::move(queue.front());
      queue.pop_front();
      lock.unlock();
      task();
    }  // what the task holds goes before the lock is taken again
    lock.lock();
    if (is_new && --running_ == 0 && tasks_.empty()) idle_.notify_all();
  }
}

}  // namespace monotable::work

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>

#include "engine/key_claims.h"

namespace monotable::work {
class Executor;
}

namespace monotable::engine {

// Where writes are prepared that are too much work for the thread of the store: on the executor, or
// on the thread that waits for the write. Keeps the memory of prepared writes within a limit: past
// it, further preparations wait for their turn without a thread. Thread-safe.
class Preparations {
 public:
  using Task = std::function<void()>;
  // Has a task run soon, on another thread.
  using Runner = std::function<void(Task)>;

  // Without an executor, which is the beginning, all writes are decided at once on the thread of
  // the store. Taking the executor away waits for all writes that may still use it.
  void SetExecutor(work::Executor* executor);
  work::Executor* executor() const { return executor_; }

  // Held by a write that may be prepared, from its submission to its answer.
  class Place {
   public:
    Place() = default;
    Place(Place&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)), executor_(other.executor_) {}
    Place& operator=(Place&&) = delete;
    ~Place();
    explicit operator bool() const { return owner_ != nullptr; }
    work::Executor& executor() const { return *executor_; }

   private:
    friend Preparations;
    Place(Preparations* owner, work::Executor* executor) : owner_(owner), executor_(executor) {}
    Preparations* owner_ = nullptr;
    work::Executor* executor_ = nullptr;
  };
  // The place is empty if there is no executor.
  Place Enter();

  // Has the task run as soon as there is room for so many bytes. Each Start is followed by an End
  // with the bytes that are held then.
  void Start(size_t bytes, Runner runner, Task task);
  // Corrects the number of bytes of a preparation that was started.
  void Resize(size_t from, size_t to);
  void End(size_t bytes) { Resize(bytes, 0); }
  // How many preparations were started so far.
  uint64_t started() const { return started_; }

  KeyClaims& claims() { return claims_; }

 private:
  struct Waiting {
    size_t bytes;
    Runner runner;
    Task task;
  };

  // The caller holds mutex_.
  bool HasRoomFor(size_t bytes) const;

  std::atomic<work::Executor*> executor_ = nullptr;
  std::atomic<size_t> places_ = 0;
  std::atomic<uint64_t> started_ = 0;
  KeyClaims claims_;
  std::mutex mutex_;
  std::deque<Waiting> waiting_;  // guarded by mutex_
  size_t bytes_ = 0;             // held or reserved; guarded by mutex_
};

}  // namespace monotable::engine

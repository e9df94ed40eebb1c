#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "engine/engine.h"
#include "entities/write/copies.h"
#include "entities/write/key_locks.h"

namespace monotable::entities {

// Does the copy jobs that writes leave behind, one after the other, on a thread of its own. That
// thread may wait for locks, which tasks of the executor may not. A job outlives the process: it is
// an item, and Resume finds it.
//
// Thread-safe. mutex_ guards the queue and the flags; what a job is doing is known to the thread
// alone. The engine, the application and the locks must outlive the jobs, and so must the executor,
// which wakes a job that waits for a lock.
class CopyJobs {
 public:
  CopyJobs(engine::Engine& engine, const Application& application, KeyLocks& locks);
  ~CopyJobs() { Stop(); }

  // Adds a job whose item is in the store. Adding a job twice, or one that is done already, does no
  // harm.
  void Add(CopyJob job);
  // Adds the jobs that the tables of the application hold.
  Status Resume();
  // Waits for the current step and begins no other. The next Resume finds the jobs that are left.
  void Stop();

  bool HasJobs() const;
  // Returns when there are no jobs, or after Stop.
  void Wait() const;

 private:
  void Work();
  Status Do(const CopyJob& job);
  bool is_stopping() const;

  engine::Engine& engine_;
  const Application& application_;
  KeyLocks& locks_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::deque<CopyJob> waiting_;  // guarded by mutex_
  bool is_working_ = false;      // guarded by mutex_
  bool stopping_ = false;        // guarded by mutex_
  std::thread thread_;
};

}  // namespace monotable::entities

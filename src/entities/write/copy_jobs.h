#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "engine/engine.h"
#include "entities/write/copies.h"
#include "entities/write/key_locks.h"

namespace monotable::entities {

// Does the jobs that writes leave behind, one after the other, on a thread of its own that may wait
// where writes may not. A job outlives the process: it is an item, and Resume finds it.
//
// Thread-safe. mutex_ guards the queue and the flags; what a job is doing is known to the thread
// alone. The engine, the application and the locks must outlive it, and so must the threads that
// wake who waits for a lock.
class CopyJobs {
 public:
  CopyJobs(engine::Engine& engine, const Application& application, KeyLocks& locks);
  ~CopyJobs() { Stop(); }

  // A job whose item is in the store. One that is done already, or twice in the queue, does no
  // harm.
  void Add(CopyJob job);
  // Adds the jobs that the tables of the application hold.
  Status Resume();
  // Waits for the step at work; no other begins. What is left is for the next Resume.
  void Stop();

  bool HasJobs() const;
  // Returns when there are none, or after Stop.
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

#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "entities/write/copies.h"
#include "entities/write/copy_pass.h"
#include "entities/write/key_locks.h"
#include "work/executor.h"

namespace monotable::entities {

// Does the copy jobs that writes leave behind, in short steps on the executor, a few jobs at a
// time. No thread waits for a step. The jobs have an account of their own there, so they go after
// the requests of light clients. A job outlives the process: it is an item, and Resume finds it.
// Servers that share a store share the jobs by leases (lease.h).
//
// Thread-safe. mutex_ guards what is at work and what waits; a job at work belongs to the task that
// does its step. The engine, the application and the locks must outlive the jobs, and the executor
// must run until Stop has returned.
class CopyJobs {
 public:
  CopyJobs(engine::Engine& engine, work::Executor& executor, const Application& application,
           KeyLocks& locks);
  ~CopyJobs() { Stop(); }

  // Adds a job whose item is in the store. Adding a job twice, or one that is done already, does no
  // harm.
  void Add(CopyJob job);
  // Adds the jobs that the tables of the application hold and that no other server has.
  Status Resume();
  // Lets the steps at work end and begins no other. The next Resume, here or on another server,
  // finds the jobs that are left.
  void Stop();

  bool HasJobs() const;
  // Returns when there are no jobs, or after Stop.
  void Wait() const;

 private:
  struct Work {
    std::string name;
    CopyJob job;
    std::unique_ptr<CopyPass> pass;
    bool again = false;  // added once more meanwhile; guarded by mutex_
  };

  // Takes jobs that wait, as many as may be at work; each must Begin. The caller holds mutex_.
  std::vector<Work*> TakeWaiting();
  void Begin(Work* work);
  void PostStep(Work* work);
  void Step(Work* work, KeyLocks::Holder locks);
  void Finish(Work* work, Result<engine::WriteOutcome> outcome);
  // Ends the work on a job that is not done, so that any server may go on with it.
  void Leave(Work* work);
  void Fail(Work* work, const Error& error);
  void End(Work* work);
  bool is_stopping() const;

  engine::Engine& engine_;
  work::Executor& executor_;
  const Application& application_;
  KeyLocks& locks_;
  const std::string owner_;
  const work::ClientPtr client_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::deque<CopyJob> waiting_;                           // guarded by mutex_
  std::map<std::string, std::unique_ptr<Work>> at_work_;  // guarded by mutex_
  bool stopping_ = false;                                 // guarded by mutex_
};

}  // namespace monotable::entities

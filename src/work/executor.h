#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include <sys/types.h>

#include "error/result.h"
#include "work/client.h"

namespace monotable::work {

struct ExecutorOptions {
  size_t running = 0;   // tasks that run at the same time; 0: one for each processor
  size_t threads = 64;  // tasks that have begun, whether they run or let others go first
  size_t continuation_threads = 8;     // for continuations only, when all others are taken
  size_t max_queued = 10000;           // tasks that have not begun; past it new ones are refused
  uint64_t max_units = 4'000'000'000;  // of work for one task, some seconds; past it the task stops
  // What the tasks that have begun may keep in memory together (work::Keep), before most of them
  // have to wait.
  uint64_t max_kept_bytes = uint64_t{256} << 20;
};

// The threads of a server for work that takes long or waits for the disk, so that the I/O threads
// and the store's writer never do. The server makes one executor and hands it to the front doors,
// the engine and the models.
//
// Only as many tasks run at a time as there are processors. A task that has used up a slice of work
// (see work/meter.h) lets others go first and keeps its thread meanwhile. The next turn goes
//   1. to continuations: the next steps of work that was accepted before,
//   2. to new tasks of clients that have used little lately,
//   3. to new tasks of other clients and to tasks that gave up their turn, alternately.
// Every fourth turn goes to the third kind, so that it always makes progress. A task that has not
// charged its meter for a while loses its turn to another task. It may wait for a disk or a lock;
// if it computes, the processors have that much more to do, so few such tasks lose their turn.
//
// Tasks that took turns would all fill the memory before the first of them ends. So when the tasks
// keep too much, those that keep a lot go on in the order in which they have begun, as many as run
// at a time, and the others of them wait with what they have.
//
// New work is posted, and refused when too much is waiting. Refusing a continuation would lose a
// request that somebody waits for, so the executor takes every one; each accepted request has at
// most one, which bounds them.
//
// A task works for a client, if it has one (ThisClient), and stops when the client is gone.
//
// A task may wait for the store. It must not wait for another task of the same executor. A task
// that runs out of memory ends, and the process goes on.
//
// Thread-safe. One mutex guards everything that is not said to be atomic.
class Executor {
 public:
  using Task = std::function<void()>;

  explicit Executor(const ExecutorOptions& options = {});
  ~Executor() { Stop(); }

  // Has the task run soon. Otherwise the error is that of the service for too many requests
  // (kThrottling), and the task does not run.
  Status Post(Task task, ClientPtr client = nullptr);
  // Has the next step of accepted work run soon. Must not be called after Stop.
  void Continue(Task task, ClientPtr client = nullptr);

  // Takes no new work from now on, and returns when all that was taken has run. What that work has
  // begun may still continue.
  void Drain();
  // From now on the work of every task stops at its next slice.
  void GiveUp() { giving_up_ = true; }
  // Drains, runs the continuations that are left, and joins the threads. Whoever continues accepted
  // work from other threads must be done with it before.
  void Stop();

 private:
  class TaskMeter;
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Queued {
    Task task;
    ClientPtr client;
    bool is_new = true;
  };
  // Lists, because tasks move between them without needing memory.
  using Queue = std::list<Queued>;

  // A task on its thread.
  struct Begun {
    bool has_turn = true;
    bool is_asleep = false;  // until its thread notices that it has its turn back
    bool overruns = false;   // computes without a turn
    pid_t thread = 0;        // as the system calls it
    uint64_t units = 0;      // used so far
    uint64_t kept = 0;       // bytes in memory
    TimePoint last_seen;     // when it began or charged its meter
    std::condition_variable turn;
  };

  void Work();
  void Run(Queued& queued, Begun* begun);
  // Lets others go first; called by the task's own thread.
  void Yield(Begun* begun, uint64_t units, uint64_t kept);
  // Gives the free turns to those that wait.
  void Dispatch();
  bool GiveTurn();
  bool GiveTurnTo(Queue* queue, size_t threads);
  bool GiveTurnToHeavy();
  void Resume(Begun* begun);
  // Of the tasks that gave up their turn, the one that gets it back; null if all have to wait.
  Begun* ChoosePaused();
  bool anything_waits() const;
  // Takes the turns away from tasks that were not seen for a while.
  void KeepTime();
  void TakeTurnFrom(Begun* begun);
  void EndOverrun(Begun* begun);

  const ExecutorOptions options_;
  std::atomic<bool> giving_up_ = false;
  std::mutex mutex_;
  std::condition_variable ready_came_;
  std::condition_variable idle_;   // for Drain and Stop
  std::condition_variable clock_;  // for KeepTime
  Queue continuations_;
  Queue light_;
  Queue heavy_;
  std::list<Begun*> begun_;
  size_t paused_ = 0;       // of them gave up their turn and want it back
  Queue ready_;             // have a turn and wait for their thread to wake up
  uint64_t kept_ = 0;       // by all that have begun
  size_t turns_ = 0;        // taken
  size_t turns_given_ = 0;  // ever
  size_t overrunning_ = 0;  // tasks that compute without a turn
  size_t new_tasks_ = 0;    // not ended yet
  bool clock_sleeps_ = false;
  bool draining_ = false;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
  std::thread timekeeper_;
};

}  // namespace monotable::work

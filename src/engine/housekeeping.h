#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace monotable::engine {

class Engine;

// Background work of the engine on one thread: filling new indexes, trimming the change log and
// old idempotency tokens. Start and Stop are for its owner; the rest is thread-safe.
class Housekeeping {
 public:
  explicit Housekeeping(Engine& engine);
  ~Housekeeping();

  // Starts with what an earlier process left unfinished.
  void Start();
  // Ends the work at the next step; what is unfinished goes on at the next Start.
  void Stop();
  // Says that there may be an index to fill, and returns at once.
  void Wake();
  // Waits until everything that there was to do at the moment of the call is done, or could not be
  // done now. Returns at once when stopped.
  void WaitUntilIdle();

 private:
  void Run(const std::stop_token& stop);
  bool WorkOnce(const std::stop_token& stop);  // false if some of it failed

  Engine& engine_;
  std::mutex mutex_;
  std::condition_variable_any changed_;  // any of the members below
  bool awake_ = false;                   // there may be something to do; guarded by mutex_
  bool running_ = false;                 // the thread is in its loop; guarded by mutex_
  bool waiting_ = false;                 // the thread found nothing more to do; guarded by mutex_
  std::jthread thread_;
};

}  // namespace monotable::engine

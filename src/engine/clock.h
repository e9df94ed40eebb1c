#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace monotable::engine {

// The time of day, behind an interface so that tests can advance it. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t NowMs() const = 0;  // milliseconds since the epoch
};

class SystemClock : public Clock {
 public:
  int64_t NowMs() const override;
};

// Does a piece of work again and again on a thread of its own: when woken, and when some time has
// passed. Start and Stop are for its owner; the rest is thread-safe.
class Repeater {
 public:
  // Returns false if something failed; then the work is done again soon.
  using Work = std::function<bool(const std::stop_token& stop)>;

  Repeater(std::chrono::milliseconds interval, Work work);
  ~Repeater();

  // Does the work a first time at once.
  void Start();
  // Ends the work at its next step.
  void Stop();
  // Says that there may be something to do, and returns at once.
  void Wake();
  // Waits until everything that there was to do at the moment of the call is done, or could not be
  // done now. Returns at once when stopped.
  void WaitUntilIdle();

 private:
  void Run(const std::stop_token& stop);

  const std::chrono::milliseconds interval_;
  const Work work_;
  std::mutex mutex_;
  std::condition_variable_any changed_;  // any of the members below
  bool awake_ = false;                   // there may be something to do; guarded by mutex_
  bool running_ = false;                 // the thread is in its loop; guarded by mutex_
  bool waiting_ = false;                 // the thread found nothing more to do; guarded by mutex_
  std::jthread thread_;
};

}  // namespace monotable::engine

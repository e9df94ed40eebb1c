#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
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

// Does a piece of work repeatedly on a thread of its own: whenever it is woken, and whenever the
// interval has passed. Only the owner may call Start and Stop; the rest is thread-safe.
class Repeater {
 public:
  // Returns false if something failed, so that the work is repeated soon.
  using Work = std::function<bool(const std::stop_token& stop)>;

  Repeater(std::chrono::milliseconds interval, Work work);
  ~Repeater();

  // Starts the thread, which does the work at once.
  void Start();
  // Asks the work to stop and waits for the thread.
  void Stop();
  // Requests that the work be done again, and returns at once.
  void Wake();
  // Waits until the work that was due at the moment of the call is done or has failed. Returns at
  // once when stopped.
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

#include "engine/clock.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace monotable::engine {

int64_t SystemClock::NowMs() const {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

namespace {

constexpr std::chrono::milliseconds kIntervalAfterFailure(1000);

}  // namespace

Repeater::Repeater(std::chrono::milliseconds interval, Work work)
    : interval_(interval), work_(std::move(work)) {}

Repeater::~Repeater() {
  Stop();
}

void Repeater::Start() {
  const std::lock_guard lock(mutex_);
  running_ = true;
  awake_ = true;
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void Repeater::Stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void Repeater::Wake() {
  {
    const std::lock_guard lock(mutex_);
    awake_ = true;
  }
  changed_.notify_all();
}

void Repeater::WaitUntilIdle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !running_ || (waiting_ && !awake_); });
}

void Repeater::Run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    awake_ = false;
    lock.unlock();
    const bool worked = work_(stop);
    lock.lock();
    waiting_ = true;
    changed_.notify_all();
    changed_.wait_for(lock, stop, worked ? interval_ : std::min(interval_, kIntervalAfterFailure),
                      [this] { return awake_; });
    waiting_ = false;
  }
  running_ = false;
  changed_.notify_all();
}

}  // namespace monotable::engine

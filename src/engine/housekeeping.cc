#include "engine/housekeeping.h"

#include <chrono>

#include "engine/backfill.h"
#include "engine/engine.h"
#include "engine/trimming.h"
#include "telemetry/log.h"

namespace monotable::engine {
namespace {

// Trimming need not be prompt: what is due has been kept for minutes or a day already.
constexpr std::chrono::seconds kInterval(60);
constexpr std::chrono::seconds kIntervalAfterFailure(1);

}  // namespace

Housekeeping::Housekeeping(Engine& engine) : engine_(engine) {}

Housekeeping::~Housekeeping() {
  Stop();
}

void Housekeeping::Start() {
  const std::lock_guard lock(mutex_);
  running_ = true;
  awake_ = true;
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void Housekeeping::Stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void Housekeeping::Wake() {
  {
    const std::lock_guard lock(mutex_);
    awake_ = true;
  }
  changed_.notify_all();
}

void Housekeeping::WaitUntilIdle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !running_ || (waiting_ && !awake_); });
}

void Housekeeping::Run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    awake_ = false;
    lock.unlock();
    const bool worked = WorkOnce(stop);
    lock.lock();
    waiting_ = true;
    changed_.notify_all();
    changed_.wait_for(lock, stop, worked ? kInterval : kIntervalAfterFailure,
                      [this] { return awake_; });
    waiting_ = false;
  }
  running_ = false;
  changed_.notify_all();
}

// One kind of work that fails does not keep the others from being done.
bool Housekeeping::WorkOnce(const std::stop_token& stop) {
  bool worked = true;
  const auto check = [&worked](std::string_view what, const Status& status) {
    if (status) return;
    worked = false;
    telemetry::Log(telemetry::LogLevel::kWarning, "{} failed and is tried again: {}", what,
                   status.error().message());
  };
  check("Filling an index", FillIndexes(engine_, stop));
  check("Trimming idempotency tokens", TrimTokens(engine_));
  check("Trimming the change log", TrimChanges(engine_, stop));
  return worked;
}

}  // namespace monotable::engine

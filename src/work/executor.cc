#include "work/executor.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "telemetry/log.h"
#include "work/meter.h"

namespace monotable::work {
namespace {

// About half a millisecond of work.
constexpr size_t kSliceUnits = 500'000;
// A task that was not seen for so long may lose its turn.
constexpr std::chrono::milliseconds kOverdue{2};
// What a task may keep in memory without waiting for others to end.
constexpr uint64_t kLittleKept = uint64_t{1} << 20;

// Whether a thread of this process computes or would like to, instead of waiting for something. The
// system says so in the third word of a file, behind the name in parentheses. Needs no memory.
bool Computes(pid_t thread) {
  std::array<char, 64> path;
  std::snprintf(path.data(), path.size(), "/proc/self/task/%d/stat", static_cast<int>(thread));
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::array<char, 128> text;
  const ssize_t size = read(file, text.data(), text.size());
  close(file);
  const std::string_view stat(text.data(), static_cast<size_t>(std::max<ssize_t>(size, 0)));
  const size_t name_end = stat.rfind(')');
  return name_end != std::string_view::npos && stat.substr(name_end).starts_with(") R");
}

// There may be no memory for the line either.
void LogFailure(std::string_view text) noexcept {
  try {
    telemetry::Log(telemetry::LogLevel::kError, "{}", text);
  } catch (const std::exception&) {
  }
}

}  // namespace

// The meter of a task: each slice ends with a look at who else waits.
class Executor::TaskMeter final : public Meter {
 public:
  TaskMeter(Executor* executor, Begun* begun, const Client* client)
      : Meter(kSliceUnits), executor_(*executor), begun_(*begun), client_(client) {}

  ~TaskMeter() override { Account(used() - begun_.units); }

  Error StopError() const override {
    if (!is_too_much_) return Meter::StopError();
    return Error::Validation(
        "The request needs more work than the server does for one request. Use shorter "
        "expressions, smaller items or fewer items in one request.");
  }

 private:
  size_t More() override {
    const uint64_t units = used() - begun_.units;
    Account(units);
    is_too_much_ = begun_.units + units > executor_.options_.max_units;
    const bool is_gone = client_ != nullptr && client_->is_gone();
    executor_.Yield(&begun_, units, kept());
    return is_too_much_ || is_gone || executor_.giving_up_ ? 0 : kSliceUnits;
  }

  void Account(uint64_t units) {
    if (client_ != nullptr && client_->account() != nullptr) client_->account()->Add(units);
  }

  Executor& executor_;
  Begun& begun_;
  const Client* const client_;
  bool is_too_much_ = false;
};

Executor::Executor(const ExecutorOptions& options)
    : options_([options] {
        ExecutorOptions filled = options;
        if (filled.running == 0) {
          filled.running = std::max<size_t>(1, std::thread::hardware_concurrency());
        }
        return filled;
      }()) {
  timekeeper_ = std::thread([this] { KeepTime(); });
}

Status Executor::Post(Task task, ClientPtr client) {
  const bool is_heavy = client && client->account() && client->account()->is_heavy();
  const std::lock_guard lock(mutex_);
  if (draining_ || light_.size() + heavy_.size() >= options_.max_queued) {
    return Error(ErrorCode::kThrottling, "Rate of requests exceeds the allowed throughput.");
  }
  // Counted once it is there, because there may be no memory for it.
  (is_heavy ? heavy_ : light_).push_back({std::move(task), std::move(client)});
  ++new_tasks_;
  Dispatch();
  return {};
}

void Executor::Continue(Task task, ClientPtr client) {
  const std::lock_guard lock(mutex_);
  continuations_.push_back({std::move(task), std::move(client), false});
  Dispatch();
}

void Executor::Drain() {
  std::unique_lock lock(mutex_);
  draining_ = true;
  idle_.wait(lock, [this] { return new_tasks_ == 0; });
}

void Executor::Stop() {
  Drain();
  {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return turns_ == 0 && begun_.empty() && !anything_waits(); });
    stopping_ = true;
  }
  ready_came_.notify_all();
  clock_.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
  if (timekeeper_.joinable()) timekeeper_.join();
}

void Executor::Work() {
  Queue queued;
  std::list<Begun*> place(1);
  std::unique_lock lock(mutex_);
  while (true) {
    ready_came_.wait(lock, [this] { return stopping_ || !ready_.empty(); });
    if (ready_.empty()) return;
    Begun begun;
    begun.last_seen = std::chrono::steady_clock::now();
    begun.thread = gettid();
    place.front() = &begun;
    const auto position = place.begin();
    begun_.splice(begun_.end(), place);
    queued.splice(queued.end(), ready_, ready_.begin());
    const bool is_new = queued.front().is_new;
    lock.unlock();
    Run(queued.front(), &begun);
    queued.clear();  // what the task holds goes before the lock is taken again
    lock.lock();
    place.splice(place.end(), begun_, position);
    kept_ -= begun.kept;
    EndOverrun(&begun);
    if (begun.has_turn) --turns_;
    if (is_new) --new_tasks_;
    Dispatch();
    if (draining_) idle_.notify_all();
  }
}

void Executor::Run(Queued& queued, Begun* begun) {
  const ClientScope scope(queued.client);
  const TaskMeter meter(this, begun, queued.client.get());
  try {
    queued.task();
  } catch (const std::bad_alloc&) {
    LogFailure("a request failed: there is not enough memory");
  } catch (const std::length_error&) {
    LogFailure("a request failed: it is too long for the memory");
  }
}

void Executor::Yield(Begun* begun, uint64_t units, uint64_t kept) {
  std::unique_lock lock(mutex_);
  begun->units += units;
  kept_ += kept - begun->kept;
  begun->kept = kept;
  EndOverrun(begun);
  begun->last_seen = std::chrono::steady_clock::now();
  if (begun->has_turn && !anything_waits()) return;
  if (begun->has_turn) --turns_;
  begun->has_turn = false;
  begun->is_asleep = true;
  ++paused_;
  Dispatch();
  begun->turn.wait(lock, [begun] { return begun->has_turn; });
  begun->is_asleep = false;
  begun->last_seen = std::chrono::steady_clock::now();
}

bool Executor::anything_waits() const {
  return !continuations_.empty() || !light_.empty() || !heavy_.empty() || paused_ > 0;
}

void Executor::Dispatch() {
  while (turns_ < options_.running && GiveTurn()) {
  }
  if (anything_waits() && std::exchange(clock_sleeps_, false)) clock_.notify_one();
}

bool Executor::GiveTurn() {
  if (GiveTurnTo(&continuations_, options_.threads + options_.continuation_threads)) return true;
  const bool heavy_first = turns_given_ % 4 == 3;
  if (heavy_first && GiveTurnToHeavy()) return true;
  if (GiveTurnTo(&light_, options_.threads)) return true;
  return !heavy_first && GiveTurnToHeavy();
}

// New tasks of heavy clients leave some threads for others.
bool Executor::GiveTurnToHeavy() {
  const size_t threads = std::max<size_t>(1, options_.threads / 4 * 3);
  const bool new_first = turns_given_ % 2 == 0;
  if (new_first && GiveTurnTo(&heavy_, threads)) return true;
  if (Begun* const chosen = ChoosePaused(); chosen != nullptr) {
    Resume(chosen);
    return true;
  }
  return !new_first && GiveTurnTo(&heavy_, threads);
}

// The task that has used least, if there is memory.
Executor::Begun* Executor::ChoosePaused() {
  size_t large = 0;  // tasks that keep a lot, so far
  Begun* chosen = nullptr;
  for (Begun* begun : begun_) {
    const bool is_large = begun->kept > kLittleKept;
    if (is_large && kept_ > options_.max_kept_bytes && ++large > options_.running) continue;
    if (!begun->is_asleep || begun->has_turn) continue;
    if (chosen == nullptr || begun->units < chosen->units) chosen = begun;
  }
  return chosen;
}

void Executor::Resume(Begun* begun) {
  --paused_;
  ++turns_;
  ++turns_given_;
  begun->has_turn = true;
  begun->turn.notify_one();
}

// Hands the first task of a queue to a thread, unless so many threads are taken.
bool Executor::GiveTurnTo(Queue* queue, size_t threads) {
  const size_t taken = begun_.size() + ready_.size();
  if (queue->empty() || taken >= threads) return false;
  if (taken >= threads_.size()) {
    try {
      threads_.emplace_back([this] { Work(); });
    } catch (const std::exception&) {  // the system has no more threads or no memory for one
      return false;
    }
  }
  ready_.splice(ready_.end(), *queue, queue->begin());
  ++turns_;
  ++turns_given_;
  ready_came_.notify_one();
  return true;
}

void Executor::KeepTime() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (!anything_waits()) {
      clock_sleeps_ = true;
      clock_.wait(lock);
      continue;
    }
    clock_.wait_for(lock, kOverdue);
    const TimePoint latest = std::chrono::steady_clock::now() - kOverdue;
    for (Begun* begun : begun_) {
      // A thread that still wakes up would never get back a turn that was taken from it.
      if (!begun->has_turn || begun->is_asleep || begun->last_seen > latest) continue;
      TakeTurnFrom(begun);
    }
    Dispatch();
  }
}

void Executor::TakeTurnFrom(Begun* begun) {
  if (Computes(begun->thread)) {
    if (overrunning_ >= options_.running) return;
    begun->overruns = true;
    ++overrunning_;
  }
  begun->has_turn = false;
  --turns_;
}

void Executor::EndOverrun(Begun* begun) {
  if (std::exchange(begun->overruns, false)) --overrunning_;
}

}  // namespace monotable::work

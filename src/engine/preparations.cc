#include "engine/preparations.h"

#include <vector>

namespace monotable::engine {
namespace {

// For all prepared writes together: the values that they have read and what they will write.
constexpr size_t kMostBytes = size_t{64} << 20;

}  // namespace

// A write counts itself before it looks for the executor. So a write that was not counted when the
// last place was left finds no executor.
void Preparations::SetExecutor(work::Executor* executor) {
  executor_ = executor;
  if (executor != nullptr) return;
  for (size_t places = places_; places > 0; places = places_) places_.wait(places);
}

Preparations::Place Preparations::Enter() {
  ++places_;
  Place place(this, executor_);
  if (place.executor_ != nullptr) return place;
  return {};
}

Preparations::Place::~Place() {
  if (owner_ != nullptr && --owner_->places_ == 0) owner_->places_.notify_all();
}

void Preparations::Start(size_t bytes, Runner runner, Task task) {
  ++started_;
  {
    const std::lock_guard lock(mutex_);
    if (!waiting_.empty() || !HasRoomFor(bytes)) {
      waiting_.push_back({bytes, std::move(runner), std::move(task)});
      return;
    }
    bytes_ += bytes;
  }
  runner(std::move(task));
}

void Preparations::Resize(size_t from, size_t to) {
  std::vector<Waiting> ready;
  {
    const std::lock_guard lock(mutex_);
    bytes_ += to - from;
    while (!waiting_.empty() && HasRoomFor(waiting_.front().bytes)) {
      bytes_ += waiting_.front().bytes;
      ready.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
  }
  for (Waiting& next : ready) next.runner(std::move(next.task));
}

// What is larger than everything that is allowed goes alone.
bool Preparations::HasRoomFor(size_t bytes) const {
  return bytes_ == 0 || bytes_ + bytes <= kMostBytes;
}

}  // namespace monotable::engine

#include "entities/write/key_locks.h"

#include <memory>
#include <utility>

namespace monotable::entities {

bool KeyLocks::TryLock(const std::string& name, Mode mode, bool already_shared) {
  const std::lock_guard lock(mutex_);
  State& state = states_[name];
  if (mode == Mode::kShared) {
    if (state.exclusive) return false;
    ++state.shared;
    return true;
  }
  if (state.exclusive || state.shared > (already_shared ? 1 : 0)) return false;
  state.shared = 0;
  state.exclusive = true;
  return true;
}

void KeyLocks::Unlock(const std::string& name, Mode mode) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = states_.find(name);
    if (mode == Mode::kShared) {
      --found->second.shared;
    } else {
      found->second.exclusive = false;
    }
    if (found->second.free() && found->second.waiting.empty()) {
      states_.erase(found);
      return;
    }
  }
  WakeOne(name);
}

void KeyLocks::Wait(const std::string& name, Task task) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = states_.find(name);
    if (found != states_.end() && !found->second.free()) {
      found->second.waiting.push_back(std::move(task));
      return;
    }
  }
  RunWith(name, std::move(task));
}

void KeyLocks::WakeOne(const std::string& name) {
  Task task;
  {
    const std::lock_guard lock(mutex_);
    const auto found = states_.find(name);
    if (found == states_.end()) return;
    if (found->second.waiting.empty()) {
      if (found->second.free()) states_.erase(found);
      return;
    }
    task = std::move(found->second.waiting.front());
    found->second.waiting.pop_front();
  }
  RunWith(name, std::move(task));
}

void KeyLocks::RunWith(const std::string& name, Task task) {
  // Functions are copied by std::function, holders are not.
  auto holder = std::make_shared<Holder>(*this);
  holder->woken_by_ = name;
  run_([holder, task = std::move(task)] { task(std::move(*holder)); });
}

KeyLocks::Holder::Holder(Holder&& other) noexcept
    : locks_(other.locks_),
      held_(std::exchange(other.held_, {})),
      missed_(std::exchange(other.missed_, {})),
      woken_by_(std::exchange(other.woken_by_, {})) {}

bool KeyLocks::Holder::Acquire(const std::string& name, Mode mode) {
  const auto held = held_.find(name);
  if (held != held_.end() && (held->second == Mode::kExclusive || mode == Mode::kShared)) {
    return true;
  }
  if (!locks_->TryLock(name, mode, held != held_.end())) {
    missed_ = name;
    return false;
  }
  held_[name] = mode;
  return true;
}

void KeyLocks::Holder::Wait(Task task) {
  const std::string missed = std::exchange(missed_, {});
  Release();
  locks_->Wait(missed, std::move(task));
}

void KeyLocks::Holder::Release() {
  for (const auto& [name, mode] : std::exchange(held_, {})) locks_->Unlock(name, mode);
  if (const std::string name = std::exchange(woken_by_, {}); !name.empty()) locks_->WakeOne(name);
}

}  // namespace monotable::entities

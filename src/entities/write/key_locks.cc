#include "entities/write/key_locks.h"

#include <utility>

namespace monotable::entities {

void KeyLocks::State::Take(Mode mode) {
  if (mode == Mode::kShared) {
    ++shared;
  } else {
    exclusive = true;
  }
}

bool KeyLocks::TryLock(const std::string& name, Mode mode, bool already_shared) {
  const std::lock_guard lock(mutex_);
  State& state = states_[name];
  if (already_shared) {
    if (state.shared > 1) return false;
    state.shared = 0;
    state.exclusive = true;
    return true;
  }
  if (!state.line.empty() || !state.Admits(mode)) return false;
  state.Take(mode);
  return true;
}

void KeyLocks::Unlock(const Names& names) {
  std::vector<WaiterPtr> ready;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, mode] : names) {
      State& state = states_[name];  // stays where it is while others come
      if (mode == Mode::kShared) {
        --state.shared;
      } else {
        state.exclusive = false;
      }
      // A waiter that advances may wait for one of the other names, which come later.
      while (!state.line.empty() && state.Admits(state.line.front()->next->second)) {
        WaiterPtr waiter = std::move(state.line.front());
        state.line.pop_front();
        state.Take(waiter->next->second);
        ++waiter->next;
        Advance(std::move(waiter), &ready);
      }
      if (state.shared == 0 && !state.exclusive && state.line.empty()) states_.erase(name);
    }
  }
  Run(ready);
}

void KeyLocks::Enqueue(Names names, Task task) {
  auto waiter = std::make_unique<Waiter>(Waiter{std::move(names), {}, std::move(task)});
  waiter->next = waiter->names.begin();
  std::vector<WaiterPtr> ready;
  {
    const std::lock_guard lock(mutex_);
    Advance(std::move(waiter), &ready);
  }
  Run(ready);
}

void KeyLocks::Advance(WaiterPtr waiter, std::vector<WaiterPtr>* ready) {
  for (; waiter->next != waiter->names.end(); ++waiter->next) {
    const auto& [name, mode] = *waiter->next;
    State& state = states_[name];
    if (!state.line.empty() || !state.Admits(mode)) {
      state.line.push_back(std::move(waiter));
      return;
    }
    state.Take(mode);
  }
  ready->push_back(std::move(waiter));
}

void KeyLocks::Run(const std::vector<WaiterPtr>& ready) {
  for (const WaiterPtr& waiter : ready) {
    Holder holder(*this);
    holder.held_ = std::move(waiter->names);
    waiter->task(std::move(holder));
  }
}

KeyLocks::Holder::Holder(Holder&& other) noexcept
    : locks_(other.locks_),
      held_(std::exchange(other.held_, {})),
      missed_(std::exchange(other.missed_, {})) {}

bool KeyLocks::Holder::Acquire(const std::string& name, Mode mode) {
  const auto held = held_.find(name);
  if (held != held_.end() && (held->second == Mode::kExclusive || mode == Mode::kShared)) {
    return true;
  }
  if (!locks_->TryLock(name, mode, held != held_.end())) {
    missed_[name] = mode;
    return false;
  }
  held_[name] = mode;
  return true;
}

void KeyLocks::Holder::Wait(Task task) {
  Names names = std::exchange(missed_, {});
  names.insert(held_.begin(), held_.end());  // a name that was to become exclusive stays so
  Release();
  locks_->Enqueue(std::move(names), std::move(task));
}

void KeyLocks::Holder::Release() {
  if (held_.empty()) return;  // the locks themselves may be gone
  locks_->Unlock(std::exchange(held_, {}));
}

}  // namespace monotable::entities

#include "engine/key_claims.h"

#include <algorithm>
#include <utility>

namespace monotable::engine {

void KeyClaims::WhenFree(Keys keys, Task task) {
  Run(keys, false, std::move(task));
}

void KeyClaims::Claim(Keys keys, Task task) {
  ++claims_;
  Run(keys, true, std::move(task));
}

void KeyClaims::Run(Keys keys, bool claims, Task task) {
  {
    const std::lock_guard lock(mutex_);
    const bool behind_others = claims && std::any_of(waiting_.begin(), waiting_.end(),
                                                     [](const Waiter& w) { return w.claims; });
    if (behind_others || !IsFree(keys)) {
      waiting_.push_back({{keys.begin(), keys.end()}, claims, std::move(task)});
      return;
    }
    if (claims) claimed_.insert(keys.begin(), keys.end());
  }
  task();
}

void KeyClaims::Release(Keys keys) {
  std::vector<Task> ready;
  {
    const std::lock_guard lock(mutex_);
    for (const std::string& key : keys) claimed_.erase(key);
    bool claims_wait = false;
    for (auto waiter = waiting_.begin(); waiter != waiting_.end();) {
      if ((waiter->claims && claims_wait) || !IsFree(waiter->keys)) {
        claims_wait = claims_wait || waiter->claims;
        ++waiter;
        continue;
      }
      if (waiter->claims) claimed_.insert(waiter->keys.begin(), waiter->keys.end());
      ready.push_back(std::move(waiter->task));
      waiter = waiting_.erase(waiter);
    }
  }
  --claims_;
  for (const Task& task : ready) task();
}

bool KeyClaims::IsFree(Keys keys) const {
  return std::none_of(keys.begin(), keys.end(),
                      [this](const std::string& key) { return claimed_.contains(key); });
}

}  // namespace monotable::engine

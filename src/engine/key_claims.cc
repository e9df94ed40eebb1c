#include "engine/key_claims.h"

#include <algorithm>
#include <utility>

namespace monotable::engine {

using storage::KeyMode;

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
    if (claims) Take(keys);
  }
  task();
}

void KeyClaims::Release(Keys keys) {
  std::vector<Task> ready;
  {
    const std::lock_guard lock(mutex_);
    for (const storage::NamedKey& key : keys) {
      const auto claimed = claimed_.find(key.bytes);
      if (claimed->second <= 1) {
        claimed_.erase(claimed);
      } else {
        --claimed->second;
      }
    }
    bool claims_wait = false;
    for (auto waiter = waiting_.begin(); waiter != waiting_.end();) {
      if ((waiter->claims && claims_wait) || !IsFree(waiter->keys)) {
        claims_wait = claims_wait || waiter->claims;
        ++waiter;
        continue;
      }
      if (waiter->claims) Take(waiter->keys);
      ready.push_back(std::move(waiter->task));
      waiter = waiting_.erase(waiter);
    }
  }
  --claims_;
  for (const Task& task : ready) task();
}

bool KeyClaims::IsFree(Keys keys) const {
  return std::none_of(keys.begin(), keys.end(), [this](const storage::NamedKey& key) {
    const auto claimed = claimed_.find(key.bytes);
    if (claimed == claimed_.end()) return false;
    return key.mode == KeyMode::kExclusive || claimed->second == 0;
  });
}

void KeyClaims::Take(Keys keys) {
  for (const storage::NamedKey& key : keys) {
    size_t& sharing = claimed_[key.bytes];
    if (key.mode == KeyMode::kShared) ++sharing;
  }
}

}  // namespace monotable::engine

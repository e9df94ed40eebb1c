#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "storage/store.h"

namespace monotable::engine {

// Keys that a write has claimed because others changed them again and again while it was being
// prepared. Other writes of these keys wait until the claim is released, unless both only share the
// key; all other keys are free.
// Claims are rare, so asking for them costs a look at one number. A write that has to claim waits
// for those that claim before it and holds nothing meanwhile, so no two wait for each other.
// Thread-safe. Tasks run on the thread that makes them possible, outside of the lock.
class KeyClaims {
 public:
  using Keys = std::span<const storage::NamedKey>;
  using Task = std::function<void()>;

  bool any() const { return claims_ > 0; }

  // Runs the task when no claim holds any of the keys.
  void WhenFree(Keys keys, Task task);
  // Claims the keys when no claim holds any of them, then runs the task.
  void Claim(Keys keys, Task task);
  // Releases what was claimed.
  void Release(Keys keys);

 private:
  struct Waiter {
    std::vector<storage::NamedKey> keys;
    bool claims;
    Task task;
  };

  void Run(Keys keys, bool claims, Task task);
  // The caller holds mutex_.
  bool IsFree(Keys keys) const;
  void Take(Keys keys);

  std::atomic<size_t> claims_ = 0;  // held or waiting
  std::mutex mutex_;
  // How many claims share a key; 0 if one has it alone.
  std::unordered_map<std::string, size_t> claimed_;  // guarded by mutex_
  std::list<Waiter> waiting_;                        // guarded by mutex_
};

}  // namespace monotable::engine

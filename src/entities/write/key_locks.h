#pragma once

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>

// Locks on names within this process, for writes whose rules look at more than they write: that a
// range holds nothing, that a referenced item stays as it is. No write waits while it holds a lock:
// a write that misses one gives up all its locks and is run again when the missing lock is free. So
// there are no deadlocks, and no thread is blocked.
namespace monotable::entities {

// Thread-safe. Must outlive its holders.
class KeyLocks {
 public:
  enum class Mode { kShared, kExclusive };
  class Holder;
  using Task = std::function<void(Holder)>;
  // Runs a function elsewhere, soon.
  using Run = std::function<void(std::function<void()>)>;

  explicit KeyLocks(Run run) : run_(std::move(run)) {}

 private:
  struct State {
    int shared = 0;
    bool exclusive = false;
    std::deque<Task> waiting;
    bool free() const { return shared == 0 && !exclusive; }
  };

  bool TryLock(const std::string& name, Mode mode, bool already_shared);
  void Unlock(const std::string& name, Mode mode);
  void Wait(const std::string& name, Task task);
  // Lets one of the tasks that wait for a name try again.
  void WakeOne(const std::string& name);
  void RunWith(const std::string& name, Task task);

  const Run run_;
  std::mutex mutex_;
  std::map<std::string, State> states_;  // guarded by mutex_; names that are locked or waited for
};

// The locks of one attempt to write. Movable, not thread-safe.
class KeyLocks::Holder {
 public:
  explicit Holder(KeyLocks& locks) : locks_(&locks) {}
  Holder(Holder&& other) noexcept;
  Holder& operator=(Holder&& other) = delete;
  ~Holder() { Release(); }

  // False if another holder is in the way; Wait then waits for this name. A shared lock becomes an
  // exclusive one if no other holder shares it.
  bool Acquire(const std::string& name, Mode mode);
  // Gives up all locks, and has the task run when the one that was missed may be had.
  void Wait(Task task);
  void Release();

 private:
  friend class KeyLocks;

  KeyLocks* locks_;
  std::map<std::string, Mode> held_;
  std::string missed_;
  std::string woken_by_;  // others may still wait for this name; they are next when this one ends
};

}  // namespace monotable::entities

#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

// Locks on names within this process: the line in which writes of the same items wait for each
// other, instead of planning in vain. No rule relies on them, because the store compares whatever a
// plan has read.
//
// A write finds out which names it needs while it is planned. It takes each name that is free. If a
// name is not, the write gives up what it has and waits in line for all names that it knows by
// then, and is planned again when it has them. A name is handed on in the order in which writes
// came: nobody takes it past those who wait.
//
// There are no deadlocks: a write that is being planned never waits with a name in its hands, and
// those that wait in line get their names in one common order. No thread is blocked.
namespace monotable::entities {

// Thread-safe. Must outlive its holders.
class KeyLocks {
 public:
  enum class Mode { kShared, kExclusive };
  class Holder;
  // Called with the names on the thread that gave up the last of them. It must only hand over.
  using Task = std::function<void(Holder)>;

 private:
  using Names = std::map<std::string, Mode>;

  // A write in line. It holds the names before `next` and waits for that one.
  struct Waiter {
    Names names;
    Names::iterator next;
    Task task;
  };
  using WaiterPtr = std::unique_ptr<Waiter>;

  struct State {
    int shared = 0;
    bool exclusive = false;
    std::deque<WaiterPtr> line;

    bool Admits(Mode mode) const { return !exclusive && (mode == Mode::kShared || shared == 0); }
    void Take(Mode mode);
  };

  bool TryLock(const std::string& name, Mode mode, bool already_shared);
  void Unlock(const Names& names);
  void Enqueue(Names names, Task task);
  // Takes names for a waiter as far as they are free; the waiter is in line for the next one, or
  // ready. The caller holds mutex_.
  void Advance(WaiterPtr waiter, std::vector<WaiterPtr>* ready);
  void Run(const std::vector<WaiterPtr>& ready);

  std::mutex mutex_;
  // Names that are locked or waited for.
  std::unordered_map<std::string, State> states_;  // guarded by mutex_
};

// The locks of one attempt to write. Movable, not thread-safe.
class KeyLocks::Holder {
 public:
  explicit Holder(KeyLocks& locks) : locks_(&locks) {}
  Holder(Holder&& other) noexcept;
  Holder& operator=(Holder&& other) = delete;
  ~Holder() { Release(); }

  // False if others hold the name or wait for it; Wait then waits for this name, too. A shared lock
  // becomes an exclusive one if no other holder shares it.
  bool Acquire(const std::string& name, Mode mode);
  // Gives up all locks, and has the task called with all of them and with those that were missed.
  void Wait(Task task);
  void Release();

 private:
  friend class KeyLocks;

  KeyLocks* locks_;
  Names held_;
  Names missed_;
};

}  // namespace monotable::entities

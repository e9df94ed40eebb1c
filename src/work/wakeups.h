#pragma once

#include <functional>
#include <vector>

namespace monotable::work {

// Waking a thread costs more than most of what threads hand to each other, and a thread that is
// woken for the first of many results finds only that one. A thread that is about to hand over
// much therefore postpones the wakeups to the end. It must not work for long meanwhile, because
// whoever is to be woken waits.
//
// Lives on one thread. A scope within another scope leaves the wakeups to the outer one.
class PostponedWakeups {
 public:
  PostponedWakeups();
  // Does what was postponed.
  ~PostponedWakeups();
  PostponedWakeups(const PostponedWakeups&) = delete;
  PostponedWakeups& operator=(const PostponedWakeups&) = delete;

  // Does what was postponed so far.
  void Run();

 private:
  friend void Wake(std::function<void()> wakeup);

  std::vector<std::function<void()>> postponed_;
  const bool is_outermost_;
};

// Wakes a thread: at once, or when the PostponedWakeups of this thread end. Then the wakeup runs on
// this thread, so what it wakes must live as long, whatever other threads do meanwhile. While
// wakeups are postponed, a thread must not wait for another one, which may be asleep.
void Wake(std::function<void()> wakeup);

}  // namespace monotable::work

#include "work/wakeups.h"

#include <new>
#include <utility>

namespace monotable::work {
namespace {

thread_local PostponedWakeups* outermost_wakeups = nullptr;

}  // namespace

PostponedWakeups::PostponedWakeups() : is_outermost_(outermost_wakeups == nullptr) {
  if (is_outermost_) outermost_wakeups = this;
}

PostponedWakeups::~PostponedWakeups() {
  if (!is_outermost_) return;
  outermost_wakeups = nullptr;
  Run();
}

void PostponedWakeups::Run() {
  // A wakeup does not postpone others.
  for (const auto& wakeup : postponed_) wakeup();
  postponed_.clear();
}

void Wake(std::function<void()> wakeup) {
  if (outermost_wakeups == nullptr) return wakeup();
  try {
    outermost_wakeups->postponed_.push_back(std::move(wakeup));
  } catch (const std::bad_alloc&) {
    wakeup();  // which has not been moved, because there was no place to move it to
  }
}

}  // namespace monotable::work

#include "work/promptness.h"

#include <cstdint>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace monotable::work {
namespace {

// The first version of the kernel's struct sched_attr, which the C library does not declare.
struct SchedulingAttributes {
  uint32_t size = sizeof(SchedulingAttributes);
  uint32_t policy = SCHED_OTHER;
  uint64_t flags = 0;
  int32_t nice = 0;
  uint32_t priority = 0;
  uint64_t runtime_ns = 0;  // of one turn
  uint64_t deadline_ns = 0;
  uint64_t period_ns = 0;
};

// The shortest that the kernel accepts.
constexpr uint64_t kTurnNs = 100'000;

}  // namespace

void BePrompt() {
  SchedulingAttributes attributes;
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0) != 0) return;
  if (attributes.policy != SCHED_OTHER) return;
  attributes.runtime_ns = kTurnNs;
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}

}  // namespace monotable::work

#include "work/promptness.h"

#include <array>
#include <cstdint>
#include <thread>

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace monotable::work {
namespace {

// The length of the turns of this thread, in nanoseconds; 0 where the kernel does not say.
uint64_t TurnNs() {
  std::array<uint64_t, 6> attributes{};  // the runtime is the fourth
  if (syscall(SYS_sched_getattr, 0, attributes.data(), sizeof(attributes), 0) != 0) return 0;
  return attributes[3];
}

TEST(PromptnessTest, MakesTurnsShortForOneThread) {
  const uint64_t before = TurnNs();
  if (before == 0) GTEST_SKIP() << "this kernel does not know turns";
  std::thread([] {
    BePrompt();
    EXPECT_EQ(TurnNs(), 100'000u);
  }).join();
  EXPECT_EQ(TurnNs(), before);
}

}  // namespace
}  // namespace monotable::work

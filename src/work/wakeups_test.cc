#include "work/wakeups.h"

#include <gtest/gtest.h>

namespace monotable::work {
namespace {

TEST(WakeupsTest, HappenAtOnceUnlessTheyArePostponed) {
  int woken = 0;
  Wake([&] { ++woken; });
  EXPECT_EQ(woken, 1);
}

TEST(WakeupsTest, WaitForTheEndOfTheScope) {
  int woken = 0;
  {
    const PostponedWakeups postponed;
    Wake([&] { ++woken; });
    Wake([&] { ++woken; });
    EXPECT_EQ(woken, 0);
  }
  EXPECT_EQ(woken, 2);
  Wake([&] { ++woken; });
  EXPECT_EQ(woken, 3);
}

TEST(WakeupsTest, HappenOnceWhenTheScopeRunsThem) {
  int woken = 0;
  {
    PostponedWakeups postponed;
    Wake([&] { ++woken; });
    postponed.Run();
    EXPECT_EQ(woken, 1);
    Wake([&] { ++woken; });
    EXPECT_EQ(woken, 1);
  }
  EXPECT_EQ(woken, 2);
}

TEST(WakeupsTest, AnInnerScopeLeavesThemToTheOuterOne) {
  int woken = 0;
  {
    const PostponedWakeups outer;
    {
      const PostponedWakeups inner;
      Wake([&] { ++woken; });
    }
    EXPECT_EQ(woken, 0);
  }
  EXPECT_EQ(woken, 1);
}

}  // namespace
}  // namespace monotable::work

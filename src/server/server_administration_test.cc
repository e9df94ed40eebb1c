#include "server/server_administration.h"

#include <gtest/gtest.h>

namespace monotable::server {
namespace {

TEST(TestClockTest, StandsUntilItIsMoved) {
  TestClock clock(1'000);
  EXPECT_EQ(clock.NowMs(), 1'000);
  EXPECT_EQ(clock.NowMs(), 1'000);
  EXPECT_EQ(clock.Advance(500), 1'500);
  EXPECT_EQ(clock.NowMs(), 1'500);
  EXPECT_EQ(clock.Advance(0), 1'500);
}

TEST(TestClockTest, RunsAheadOfTheSystemByWhatItWasMoved) {
  const engine::SystemClock system;
  TestClock clock(0, TestClock::Pace::kRuns);
  const int64_t before = system.NowMs();
  EXPECT_GE(clock.NowMs(), before);
  EXPECT_GE(clock.Advance(86'400'000), before + 86'400'000);
  EXPECT_EQ(clock.shift_ms(), 86'400'000);
  EXPECT_LE(clock.NowMs(), system.NowMs() + 86'400'000);
}

TEST(TestClockTest, StartsAtMomentsOfUtc) {
  EXPECT_EQ(ParseTestClock("1970-01-01T00:00:01Z"), 1'000);
  EXPECT_EQ(ParseTestClock("2026-01-30T14:30:00.250Z"), 1'769'783'400'250);
  const int64_t before = engine::SystemClock().NowMs();
  EXPECT_GE(ParseTestClock("now"), before);
  for (const char* text : {"", "today", "2026-01-30", "2026-01-30T14:30:00", "2026-02-30T00:00:00Z",
                           "1969-12-31T23:59:59Z", "1769783400"}) {
    EXPECT_EQ(ParseTestClock(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace monotable::server

#include "telemetry/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace monotable::telemetry {
namespace {

class LogTest : public testing::Test {
 protected:
  ~LogTest() override { SetLogLevel(LogLevel::kInfo); }
};

TEST_F(LogTest, WritesOneLineWithTimeAndLevel) {
  testing::internal::CaptureStderr();
  Log(LogLevel::kWarning, "table {} has\n{} items", "T", 3);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\."
                                    "[0-9]{3}Z warning table T has 3 items\n"));
}

TEST_F(LogTest, HoldsBackWhatIsBelowTheLevel) {
  testing::internal::CaptureStderr();
  Log(LogLevel::kDebug, "a");
  SetLogLevel(LogLevel::kError);
  Log(LogLevel::kWarning, "b");
  SetLogLevel(LogLevel::kOff);
  Log(LogLevel::kError, "c");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(LogTest, LevelsHaveNames) {
  for (const auto level :
       {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError, LogLevel::kOff}) {
    EXPECT_EQ(ParseLogLevel(LogLevelName(level)), level);
  }
  EXPECT_EQ(ParseLogLevel("verbose"), std::nullopt);
}

}  // namespace
}  // namespace monotable::telemetry

#include "time/calendar.h"

#include <gtest/gtest.h>

namespace monotable::time {
namespace {

constexpr int64_t kSunday = 1'794'725'249'123;  // 2026-11-15T06:47:29.123Z

TEST(CalendarTest, DatesAndInstantsAreTheSameThing) {
  const DateTime date_time = ToDateTime(kSunday);
  EXPECT_EQ(date_time.year, 2026);
  EXPECT_EQ(date_time.month, 11);
  EXPECT_EQ(date_time.day, 15);
  EXPECT_EQ(date_time.hour, 6);
  EXPECT_EQ(date_time.minute, 47);
  EXPECT_EQ(date_time.second, 29);
  EXPECT_EQ(date_time.millisecond, 123);
  EXPECT_EQ(ToInstant(date_time), kSunday);
}

TEST(CalendarTest, TheWholeRangeGoesThereAndBack) {
  constexpr int64_t kStep = 86'399'999LL * 37;  // moves through all times of day and all months
  for (int64_t instant = kEarliestMs; instant <= kLatestMs; instant += kStep) {
    ASSERT_EQ(ToInstant(ToDateTime(instant)), instant);
    const std::string text = Format(instant, kIsoMilliseconds);
    ASSERT_EQ(ParseIso(text), instant) << text;
  }
  EXPECT_EQ(Format(kEarliestMs, kIsoMilliseconds), "0001-01-01T00:00:00.000Z");
  EXPECT_EQ(Format(kLatestMs, kIsoMilliseconds), "9999-12-31T23:59:59.999Z");
}

TEST(CalendarTest, DatesThatDoNotExistAreNoInstants) {
  EXPECT_EQ(ToInstant({.year = 2024, .month = 2, .day = 29}), 1'709'164'800'000);
  EXPECT_EQ(ToInstant({.year = 2026, .month = 2, .day = 29}), std::nullopt);
  EXPECT_EQ(ToInstant({.year = 1900, .month = 2, .day = 29}), std::nullopt);
  EXPECT_EQ(ToInstant({.year = 2026, .month = 13, .day = 1}), std::nullopt);
  EXPECT_EQ(ToInstant({.year = 2026, .month = 0, .day = 1}), std::nullopt);
  EXPECT_EQ(ToInstant({.year = 0, .month = 1, .day = 1}), std::nullopt);
  EXPECT_EQ(ToInstant({.year = 10000, .month = 1, .day = 1}), std::nullopt);
  EXPECT_EQ(ToInstant({.hour = 24}), std::nullopt);
  EXPECT_EQ(ToInstant({.minute = 60}), std::nullopt);
  EXPECT_EQ(ToInstant({.second = 60}), std::nullopt);
  EXPECT_EQ(ToInstant({.hour = -1}), std::nullopt);
}

TEST(CalendarTest, InstantsBefore1970KeepTheirSecond) {
  EXPECT_EQ(WholeSeconds(-1), -1);
  EXPECT_EQ(WholeSeconds(-1000), -1);
  EXPECT_EQ(WholeSeconds(1999), 1);
  EXPECT_EQ(Format(-1, kIsoMilliseconds), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(Format(-1, kIsoSeconds), "1969-12-31T23:59:59Z");
}

TEST(CalendarTest, EachPatternWritesAndReadsItsForm) {
  EXPECT_EQ(Format(kSunday, kIsoSeconds), "2026-11-15T06:47:29Z");
  EXPECT_EQ(Format(kSunday, kIsoMilliseconds), "2026-11-15T06:47:29.123Z");
  EXPECT_EQ(Format(kSunday, kIsoDate), "2026-11-15");
  EXPECT_EQ(Format(kSunday, kBasic), "20261115T064729Z");
  EXPECT_EQ(Format(kSunday, "dd/MM/yyyy HH:mm:ss"), "15/11/2026 06:47:29");

  EXPECT_EQ(ParseIso("2026-11-15T06:47:29.123Z"), kSunday);
  EXPECT_EQ(ParseIso("2026-11-15T06:47:29Z"), kSunday - 123);
  EXPECT_EQ(Parse("20261115T064729Z", kBasic), kSunday - 123);
  EXPECT_EQ(Parse("2024-02-29", kIsoDate), 1'709'164'800'000);
}

TEST(CalendarTest, ParsingIsStrict) {
  for (const std::string_view text :
       {"", "2026-11-15", "2026-11-15T06:47:29", "2026-11-15t06:47:29Z", "2026-11-15T06:47:29.1Z",
        "2026-11-15T06:47:29,123Z", "2026-1-15T06:47:29Z", "2026-02-30T00:00:00Z",
        " 026-11-15T06:47:29Z", "+026-11-15T06:47:29Z", "2026-11-15T24:00:00Z"}) {
    EXPECT_EQ(ParseIso(text), std::nullopt) << text;
  }
}

TEST(CalendarTest, APatternHasWholeFieldsAndNoOtherLetters) {
  for (const std::string_view pattern :
       {kIsoSeconds, kIsoMilliseconds, kIsoDate, kBasic, std::string_view("SSS")}) {
    EXPECT_TRUE(IsPattern(pattern)) << pattern;
  }
  for (const std::string_view text :
       {"", "-", "yyy", "yyyyy", "yyyyMMd", "MMM", "dd of MM", "0dd"}) {
    EXPECT_FALSE(IsPattern(text)) << text;
  }
  EXPECT_EQ(ShapeOf(kIsoSeconds), "0000-00-00T00:00:00Z");
}

TEST(CalendarTest, HttpDates) {
  EXPECT_EQ(FormatHttpDate(kSunday), "Sun, 15 Nov 2026 06:47:29 GMT");
  EXPECT_EQ(ParseHttpDate("Sun, 15 Nov 2026 06:47:29 GMT"), kSunday - 123);
  for (int day = 0; day < 400; ++day) {
    const int64_t instant = kSunday - 123 + day * int64_t{86'400'000};
    ASSERT_EQ(ParseHttpDate(FormatHttpDate(instant)), instant);
  }
  for (const std::string_view text :
       {"", "Sun, 15 Nov 2026 06:47:29 UTC", "Sun, 31 Nov 2026 06:47:29 GMT",
        "Sun, 15 nov 2026 06:47:29 GMT", "Sun, 15 ovD 2026 06:47:29 GMT",
        "Sun; 15 Nov 2026 06:47:29 GMT", "Sun, 15 Nov 2026 06:47:2  GMT"}) {
    EXPECT_EQ(ParseHttpDate(text), std::nullopt) << text;
  }
}

TEST(CalendarTest, UnixDates) {
  EXPECT_EQ(FormatUnixDate(kSunday), "Sun Nov 15 06:47:29 UTC 2026");
  EXPECT_EQ(FormatUnixDate(0), "Thu Jan 01 00:00:00 UTC 1970");
}

}  // namespace
}  // namespace monotable::time

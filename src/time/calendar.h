#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Instants and how they are written. An instant is a count of milliseconds since
// 1970-01-01T00:00:00Z. All dates are Gregorian and UTC. Nothing here depends on the locale or the
// time zone of the process, and every function is pure and therefore thread-safe.
namespace monotable::time {

// The calendar reaches from 0001-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z, because every
// written form has four digits for the year.
inline constexpr int64_t kEarliestMs = -62'135'596'800'000;
inline constexpr int64_t kLatestMs = 253'402'300'799'999;

// An instant as a clock on the wall shows it.
struct DateTime {
  int year = 1;
  int month = 1;  // 1 to 12
  int day = 1;    // 1 to 31
  int hour = 0;
  int minute = 0;
  int second = 0;
  int millisecond = 0;
};

DateTime ToDateTime(int64_t instant_ms);
// Nullopt for a date that does not exist, such as 30 February, and for a leap second.
std::optional<int64_t> ToInstant(const DateTime& date_time);
// Rounds down, so that an instant before 1970 also keeps the second that it is in.
int64_t WholeSeconds(int64_t instant_ms);

// A pattern describes a written form of fixed width: yyyy MM dd HH mm ss SSS in any order, with T,
// Z and punctuation between them.
inline constexpr std::string_view kIsoSeconds = "yyyy-MM-ddTHH:mm:ssZ";
inline constexpr std::string_view kIsoMilliseconds = "yyyy-MM-ddTHH:mm:ss.SSSZ";
inline constexpr std::string_view kIsoDate = "yyyy-MM-dd";
inline constexpr std::string_view kBasic = "yyyyMMddTHHmmssZ";  // X-Amz-Date

bool IsPattern(std::string_view text);
// The instant in the pattern's form. Fields that the pattern lacks are cut off, not rounded.
std::string Format(int64_t instant_ms, std::string_view pattern);
// Accepts exactly the texts that Format writes. Fields that the pattern lacks have their first
// value: a date alone is the first millisecond of its day.
std::optional<int64_t> Parse(std::string_view text, std::string_view pattern);
// The pattern with a 0 for every digit of its texts.
std::string ShapeOf(std::string_view pattern);

// ISO 8601 with seconds or with milliseconds.
std::optional<int64_t> ParseIso(std::string_view text);

// The form of the HTTP Date header (RFC 9110 section 5.6.7): Sun, 15 Nov 2026 06:47:29 GMT.
std::string FormatHttpDate(int64_t instant_ms);
// The name of the weekday is not compared with the date.
std::optional<int64_t> ParseHttpDate(std::string_view text);
// The form of the Unix date command: Sun Nov 15 06:47:29 UTC 2026.
std::string FormatUnixDate(int64_t instant_ms);

}  // namespace monotable::time

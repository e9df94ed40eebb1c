#include "auth/timestamp.h"

#include <ctime>

#include <fmt/format.h>

namespace monotable::auth {
namespace {

// Digits only; strptime would also take blanks and signs.
std::optional<int> ParseDigits(std::string_view digits) {
  int value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

struct Fields {
  std::string_view year;
  std::optional<int> month;  // from one
  std::string_view day;
  std::string_view hour;
  std::string_view minute;
  std::string_view second;
};

std::optional<int64_t> ToSeconds(const Fields& fields) {
  const auto year = ParseDigits(fields.year);
  const auto day = ParseDigits(fields.day);
  const auto hour = ParseDigits(fields.hour);
  const auto minute = ParseDigits(fields.minute);
  const auto second = ParseDigits(fields.second);
  if (!year || !fields.month || !day || !hour || !minute || !second) return std::nullopt;
  tm given{};
  given.tm_year = *year - 1900;
  given.tm_mon = *fields.month - 1;
  given.tm_mday = *day;
  given.tm_hour = *hour;
  given.tm_min = *minute;
  given.tm_sec = *second;
  tm normalised = given;
  const time_t seconds = timegm(&normalised);
  // timegm turns 30 February into 2 March.
  const bool exists = normalised.tm_mon == given.tm_mon && normalised.tm_mday == given.tm_mday &&
                      normalised.tm_hour == given.tm_hour && normalised.tm_min == given.tm_min &&
                      normalised.tm_sec == given.tm_sec;
  if (!exists) return std::nullopt;
  return seconds;
}

std::optional<int> ParseMonth(std::string_view name) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const size_t at = kMonths.find(name);
  if (at == std::string_view::npos || at % 3 != 0) return std::nullopt;
  return static_cast<int>(at / 3) + 1;
}

}  // namespace

std::optional<int64_t> ParseTimestamp(std::string_view text) {
  if (text.size() == 16 && text[8] == 'T' && text[15] == 'Z') {
    return ToSeconds({text.substr(0, 4), ParseDigits(text.substr(4, 2)), text.substr(6, 2),
                      text.substr(9, 2), text.substr(11, 2), text.substr(13, 2)});
  }
  if (text.size() == 29 && text.substr(3, 2) == ", " && text.ends_with(" GMT") && text[7] == ' ' &&
      text[11] == ' ' && text[16] == ' ' && text[19] == ':' && text[22] == ':') {
    return ToSeconds({text.substr(12, 4), ParseMonth(text.substr(8, 3)), text.substr(5, 2),
                      text.substr(17, 2), text.substr(20, 2), text.substr(23, 2)});
  }
  return std::nullopt;
}

std::string FormatTimestamp(int64_t seconds) {
  const time_t time = seconds;
  tm utc{};
  gmtime_r(&time, &utc);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

}  // namespace monotable::auth

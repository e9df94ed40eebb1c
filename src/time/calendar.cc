#include "time/calendar.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>

#include "text/characters.h"

namespace monotable::time {
namespace {

using Milliseconds = std::chrono::sys_time<std::chrono::milliseconds>;

constexpr std::array<std::string_view, 7> kWeekdays = {"Sun", "Mon", "Tue", "Wed",
                                                       "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// A field of a pattern: its letter, how often the letter is repeated, and where the value goes.
struct Field {
  char letter;
  size_t width;
  int DateTime::*value;
};

constexpr std::array<Field, 7> kFields = {{{'y', 4, &DateTime::year},
                                           {'M', 2, &DateTime::month},
                                           {'d', 2, &DateTime::day},
                                           {'H', 2, &DateTime::hour},
                                           {'m', 2, &DateTime::minute},
                                           {'s', 2, &DateTime::second},
                                           {'S', 3, &DateTime::millisecond}}};

const Field* FieldOf(char letter) {
  const auto* field = std::ranges::find(kFields, letter, &Field::letter);
  return field == kFields.end() ? nullptr : field;
}

std::string_view WeekdayName(int64_t instant_ms) {
  const Milliseconds instant{std::chrono::milliseconds(instant_ms)};
  const std::chrono::weekday weekday(std::chrono::floor<std::chrono::days>(instant));
  return kWeekdays[weekday.c_encoding()];
}

std::string_view MonthName(int64_t instant_ms) {
  return kMonths[static_cast<size_t>(ToDateTime(instant_ms).month - 1)];
}

// The number of a month by its name, as two digits for Parse.
std::optional<std::string> MonthDigits(std::string_view name) {
  const auto* const found = std::ranges::find(kMonths, name);
  if (found == kMonths.end()) return std::nullopt;
  const auto number = found - kMonths.begin() + 1;
  return std::string{static_cast<char>('0' + number / 10), static_cast<char>('0' + number % 10)};
}

}  // namespace

DateTime ToDateTime(int64_t instant_ms) {
  const Milliseconds instant{std::chrono::milliseconds(instant_ms)};
  const auto midnight = std::chrono::floor<std::chrono::days>(instant);
  const std::chrono::year_month_day date(midnight);
  const std::chrono::hh_mm_ss clock(instant - midnight);
  return {.year = static_cast<int>(date.year()),
          .month = static_cast<int>(static_cast<unsigned>(date.month())),
          .day = static_cast<int>(static_cast<unsigned>(date.day())),
          .hour = static_cast<int>(clock.hours().count()),
          .minute = static_cast<int>(clock.minutes().count()),
          .second = static_cast<int>(clock.seconds().count()),
          .millisecond = static_cast<int>(clock.subseconds().count())};
}

std::optional<int64_t> ToInstant(const DateTime& date_time) {
  const std::chrono::year_month_day date{std::chrono::year{date_time.year},
                                         std::chrono::month{static_cast<unsigned>(date_time.month)},
                                         std::chrono::day{static_cast<unsigned>(date_time.day)}};
  if (date_time.year < 1 || date_time.year > 9999 || !date.ok()) return std::nullopt;
  const auto within = [](int value, int last) { return value >= 0 && value <= last; };
  if (!within(date_time.hour, 23) || !within(date_time.minute, 59) ||
      !within(date_time.second, 59) || !within(date_time.millisecond, 999)) {
    return std::nullopt;
  }
  const Milliseconds instant = std::chrono::sys_days(date) + std::chrono::hours(date_time.hour) +
                               std::chrono::minutes(date_time.minute) +
                               std::chrono::seconds(date_time.second) +
                               std::chrono::milliseconds(date_time.millisecond);
  return instant.time_since_epoch().count();
}

int64_t WholeSeconds(int64_t instant_ms) {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::milliseconds(instant_ms)).count();
}

bool IsPattern(std::string_view text) {
  bool any_field = false;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    const Field* field = FieldOf(c);
    if (field == nullptr) {
      if (c != 'T' && c != 'Z' && text::IsAlphanumeric(c)) return false;
      ++at;
      continue;
    }
    const size_t end = std::min(text.find_first_not_of(c, at), text.size());
    if (end - at != field->width) return false;
    any_field = true;
    at = end;
  }
  return any_field;
}

std::string Format(int64_t instant_ms, std::string_view pattern) {
  const DateTime date_time = ToDateTime(instant_ms);
  std::string text(pattern);
  for (size_t at = 0; at < text.size(); ++at) {
    const Field* field = FieldOf(text[at]);
    if (field == nullptr) continue;
    const size_t last = at + field->width - 1;
    int rest = date_time.*field->value;
    for (size_t digit = last + 1; digit-- > at; rest /= 10) {
      text[digit] = static_cast<char>('0' + rest % 10);
    }
    at = last;
  }
  return text;
}

std::optional<int64_t> Parse(std::string_view text, std::string_view pattern) {
  if (text.size() != pattern.size()) return std::nullopt;
  DateTime date_time;
  for (size_t at = 0; at < pattern.size();) {
    const Field* field = FieldOf(pattern[at]);
    if (field == nullptr) {
      if (text[at] != pattern[at]) return std::nullopt;
      ++at;
      continue;
    }
    int value = 0;
    for (const size_t end = at + field->width; at < end; ++at) {
      if (!text::IsDigit(text[at])) return std::nullopt;
      value = value * 10 + (text[at] - '0');
    }
    date_time.*field->value = value;
  }
  return ToInstant(date_time);
}

std::string ShapeOf(std::string_view pattern) {
  std::string shape(pattern);
  for (char& c : shape) {
    if (FieldOf(c) != nullptr) c = '0';
  }
  return shape;
}

std::optional<int64_t> ParseIso(std::string_view text) {
  return Parse(text, text.size() == kIsoSeconds.size() ? kIsoSeconds : kIsoMilliseconds);
}

std::string FormatHttpDate(int64_t instant_ms) {
  std::string text(WeekdayName(instant_ms));
  text.append(Format(instant_ms, ", dd ")).append(MonthName(instant_ms));
  return text.append(Format(instant_ms, " yyyy HH:mm:ss ")).append("GMT");
}

std::optional<int64_t> ParseHttpDate(std::string_view text) {
  constexpr std::string_view kForm = "Sun, 15 Nov 2026 06:47:29 GMT";
  if (text.size() != kForm.size() || !text.ends_with(" GMT")) return std::nullopt;
  const std::optional<std::string> month = MonthDigits(text.substr(8, 3));
  if (!month) return std::nullopt;
  std::string digits(text.substr(3, text.size() - 6));
  digits.replace(5, 3, *month);
  return Parse(digits, ", dd MM yyyy HH:mm:ss ");
}

std::string FormatUnixDate(int64_t instant_ms) {
  std::string text(WeekdayName(instant_ms));
  text.append(" ").append(MonthName(instant_ms)).append(Format(instant_ms, " dd HH:mm:ss "));
  return text.append("UTC").append(Format(instant_ms, " yyyy"));
}

}  // namespace monotable::time

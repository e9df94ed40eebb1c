#include "model/instant.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "text/characters.h"

namespace monotable::model {
namespace {

constexpr std::string_view kIsoSeconds = "yyyy-MM-ddTHH:mm:ssZ";
constexpr std::string_view kIsoMilliseconds = "yyyy-MM-ddTHH:mm:ss.SSSZ";
constexpr std::string_view kBrazilian = "dd/MM/yyyy HH:mm:ss";
constexpr std::string_view kDate = "yyyy-MM-dd";

constexpr Instant kEarliest{-62'135'596'800'000};  // 0001-01-01T00:00:00.000Z
constexpr Instant kLatest{253'402'300'799'999};    // 9999-12-31T23:59:59.999Z
constexpr int64_t kFirstMilliseconds = 100'000'000'000;

// The fields of a format, in the order of their letters.
constexpr std::string_view kLetters = "yMdHmsS";
constexpr std::array<size_t, 7> kWidths = {4, 2, 2, 2, 2, 2, 3};
enum Field : size_t { kYear, kMonth, kDay, kHour, kMinute, kSecond, kMillisecond };
using Fields = std::array<int, 7>;

std::string_view WithoutShorthand(std::string_view format) {
  if (format == "iso") return kIsoSeconds;
  if (format == "isoms") return kIsoMilliseconds;
  return format;
}

std::optional<Instant> FromFields(const Fields& fields) {
  const std::chrono::year_month_day day{std::chrono::year{fields[kYear]},
                                        std::chrono::month{static_cast<unsigned>(fields[kMonth])},
                                        std::chrono::day{static_cast<unsigned>(fields[kDay])}};
  if (fields[kYear] < 1 || !day.ok()) return std::nullopt;
  if (fields[kHour] > 23 || fields[kMinute] > 59 || fields[kSecond] > 59) return std::nullopt;
  const auto moment = std::chrono::sys_days(day) + std::chrono::hours(fields[kHour]) +
                      std::chrono::minutes(fields[kMinute]) +
                      std::chrono::seconds(fields[kSecond]) +
                      std::chrono::milliseconds(fields[kMillisecond]);
  return Instant{moment.time_since_epoch().count()};
}

Fields ToFields(Instant instant) {
  const std::chrono::sys_time<std::chrono::milliseconds> moment{
      std::chrono::milliseconds(instant.millis)};
  const auto midnight = std::chrono::floor<std::chrono::days>(moment);
  const std::chrono::year_month_day day(midnight);
  const std::chrono::hh_mm_ss time(moment - midnight);
  return {static_cast<int>(day.year()),
          static_cast<int>(static_cast<unsigned>(day.month())),
          static_cast<int>(static_cast<unsigned>(day.day())),
          static_cast<int>(time.hours().count()),
          static_cast<int>(time.minutes().count()),
          static_cast<int>(time.seconds().count()),
          static_cast<int>(time.subseconds().count())};
}

// Reads a text that has exactly the shape of the format. Fields that the format lacks keep their
// first value.
std::optional<Instant> Unspell(std::string_view text, std::string_view format) {
  if (text.size() != format.size()) return std::nullopt;
  Fields fields = {1, 1, 1, 0, 0, 0, 0};
  for (size_t at = 0; at < format.size();) {
    const size_t field = kLetters.find(format[at]);
    if (field == std::string_view::npos) {
      if (text[at] != format[at]) return std::nullopt;
      ++at;
      continue;
    }
    fields[field] = 0;
    for (const size_t end = at + kWidths[field]; at < end; ++at) {
      if (!text::IsDigit(text[at])) return std::nullopt;
      fields[field] = fields[field] * 10 + (text[at] - '0');
    }
  }
  return FromFields(fields);
}

std::optional<Instant> FromUnits(const item::Value& stored, int64_t millis_per_unit) {
  int64_t count = 0;
  if (!stored.is(item::Type::kNumber) || !stored.number().ToInt64(&count)) return std::nullopt;
  if (count < kEarliest.millis / millis_per_unit || count > kLatest.millis / millis_per_unit) {
    return std::nullopt;
  }
  return Instant{count * millis_per_unit};
}

// Rounds down, so that moments before 1970 also stay in their second.
int64_t WholeSeconds(Instant instant) {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::milliseconds(instant.millis))
      .count();
}

}  // namespace

std::optional<Instant> ParseIso(std::string_view text) {
  return Unspell(text, text.size() == kIsoSeconds.size() ? kIsoSeconds : kIsoMilliseconds);
}

std::optional<Instant> ParseBrazilian(std::string_view text) {
  return Unspell(text, kBrazilian);
}

std::optional<Instant> ParseDate(std::string_view text) {
  return Unspell(text, kDate);
}

std::optional<Instant> ReadInstant(const item::Value& stored, InstantForm form) {
  const bool is_text = stored.is(item::Type::kString);
  switch (form) {
    case InstantForm::kIso:
      return is_text ? ParseIso(stored.string()) : std::nullopt;
    case InstantForm::kBrazilian:
      return is_text ? ParseBrazilian(stored.string()) : std::nullopt;
    case InstantForm::kEpoch:
      return FromUnits(stored, 1000);
    case InstantForm::kEpochMillis:
      return FromUnits(stored, 1);
  }
  return std::nullopt;
}

std::optional<Instant> ReadInstant(const item::Value& stored) {
  if (stored.is(item::Type::kNumber)) {
    const item::Number& number = stored.number();
    const item::Number limit = item::Number::FromInt(kFirstMilliseconds);
    const bool is_seconds = number < limit && number > item::Number::FromInt(-kFirstMilliseconds);
    return FromUnits(stored, is_seconds ? 1000 : 1);
  }
  if (!stored.is(item::Type::kString)) return std::nullopt;
  // The three texts have different lengths or punctuation, so at most one of them fits.
  if (const auto instant = ParseIso(stored.string())) return instant;
  if (const auto instant = ParseBrazilian(stored.string())) return instant;
  return ParseDate(stored.string());
}

item::Value StoreInstant(Instant instant, InstantForm form, bool milliseconds) {
  switch (form) {
    case InstantForm::kIso:
      return item::Value(Spell(instant, milliseconds ? kIsoMilliseconds : kIsoSeconds));
    case InstantForm::kBrazilian:
      return item::Value(Spell(instant, kBrazilian));
    case InstantForm::kEpoch:
      return item::Value(item::Number::FromInt(WholeSeconds(instant)));
    case InstantForm::kEpochMillis:
      return item::Value(item::Number::FromInt(instant.millis));
  }
  return item::Value();
}

bool IsSpelling(std::string_view format) {
  format = WithoutShorthand(format);
  bool any_field = false;
  for (size_t at = 0; at < format.size();) {
    const char c = format[at];
    const size_t field = kLetters.find(c);
    if (field == std::string_view::npos) {
      const bool is_text = c == 'T' || c == 'Z' || (!text::IsAlphanumeric(c));
      if (!is_text) return false;
      ++at;
      continue;
    }
    const size_t end = std::min(format.find_first_not_of(c, at), format.size());
    if (end - at != kWidths[field]) return false;
    any_field = true;
    at = end;
  }
  return any_field;
}

std::string Spell(Instant instant, std::string_view format) {
  const Fields fields = ToFields(instant);
  std::string text(WithoutShorthand(format));
  for (size_t at = 0; at < text.size(); ++at) {
    const size_t field = kLetters.find(text[at]);
    if (field == std::string_view::npos) continue;
    const size_t last = at + kWidths[field] - 1;
    int rest = fields[field];
    for (size_t digit = last + 1; digit-- > at; rest /= 10) {
      text[digit] = static_cast<char>('0' + rest % 10);
    }
    at = last;
  }
  return text;
}

std::string SpellingShape(std::string_view format) {
  std::string shape(WithoutShorthand(format));
  for (char& c : shape) {
    if (kLetters.find(c) != std::string_view::npos) c = '0';
  }
  return shape;
}

}  // namespace monotable::model

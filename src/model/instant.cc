#include "model/instant.h"

#include "time/calendar.h"

namespace monotable::model {
namespace {

constexpr std::string_view kBrazilian = "dd/MM/yyyy HH:mm:ss";

// Numbers from here on are milliseconds, if the form of a stored number is not known.
constexpr int64_t kFirstMilliseconds = 100'000'000'000;

// The pattern (time/calendar.h) of a template's format.
std::string_view PatternOf(std::string_view format) {
  if (format == "iso") return time::kIsoSeconds;
  if (format == "isoms") return time::kIsoMilliseconds;
  return format;
}

std::optional<Instant> AsInstant(std::optional<int64_t> millis) {
  if (!millis) return std::nullopt;
  return Instant{*millis};
}

std::optional<Instant> FromUnits(const item::Value& stored, int64_t millis_per_unit) {
  int64_t count = 0;
  if (!stored.is(item::Type::kNumber) || !stored.number().ToInt64(&count)) return std::nullopt;
  if (count < time::kEarliestMs / millis_per_unit || count > time::kLatestMs / millis_per_unit) {
    return std::nullopt;
  }
  return Instant{count * millis_per_unit};
}

}  // namespace

std::optional<Instant> ParseIso(std::string_view text) {
  return AsInstant(time::ParseIso(text));
}

std::optional<Instant> ParseBrazilian(std::string_view text) {
  return AsInstant(time::Parse(text, kBrazilian));
}

std::optional<Instant> ParseDate(std::string_view text) {
  return AsInstant(time::Parse(text, time::kIsoDate));
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
      return item::Value(
          time::Format(instant.millis, milliseconds ? time::kIsoMilliseconds : time::kIsoSeconds));
    case InstantForm::kBrazilian:
      return item::Value(time::Format(instant.millis, kBrazilian));
    case InstantForm::kEpoch:
      return item::Value(item::Number::FromInt(time::WholeSeconds(instant.millis)));
    case InstantForm::kEpochMillis:
      return item::Value(item::Number::FromInt(instant.millis));
  }
  return item::Value();
}

bool IsSpelling(std::string_view format) {
  return time::IsPattern(PatternOf(format));
}

std::string Spell(Instant instant, std::string_view format) {
  return time::Format(instant.millis, PatternOf(format));
}

std::string SpellingShape(std::string_view format) {
  return time::ShapeOf(PatternOf(format));
}

}  // namespace monotable::model

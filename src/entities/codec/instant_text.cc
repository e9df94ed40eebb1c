#include "entities/codec/instant_text.h"

#include "text/characters.h"
#include "time/calendar.h"

namespace monotable::entities {
namespace {

constexpr int64_t kMillisPerMinute = 60'000;
constexpr size_t kSecondsLength = std::string_view("2026-01-30T14:30:00").size();

int TwoDigits(std::string_view text) {
  return (text[0] - '0') * 10 + (text[1] - '0');
}

// Minutes east of Greenwich of Z, +03:00 or -03:00.
std::optional<int> ReadOffset(std::string_view text) {
  if (text == "Z") return 0;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
  for (const size_t at : {1, 2, 4, 5}) {
    if (!text::IsDigit(text[at])) return std::nullopt;
  }
  const int hours = TwoDigits(text.substr(1, 2));
  const int minutes = TwoDigits(text.substr(4, 2));
  if (hours > 23 || minutes > 59) return std::nullopt;
  return (text[0] == '-' ? -1 : 1) * (hours * 60 + minutes);
}

}  // namespace

std::optional<model::Instant> ReadClientInstant(std::string_view text) {
  if (text.size() <= kSecondsLength) return std::nullopt;
  std::string_view rest = text.substr(kSecondsLength);
  std::string fraction = "000";
  if (rest.front() == '.') {
    size_t digits = 0;
    while (digits + 1 < rest.size() && text::IsDigit(rest[digits + 1])) ++digits;
    if (digits == 0 || digits > fraction.size()) return std::nullopt;
    fraction.replace(0, digits, rest.substr(1, digits));
    rest.remove_prefix(digits + 1);
  }
  const std::optional<int> offset = ReadOffset(rest);
  const auto local =
      model::ParseIso(std::string(text.substr(0, kSecondsLength)) + "." + fraction + "Z");
  if (!offset || !local) return std::nullopt;
  const model::Instant instant{local->millis - *offset * kMillisPerMinute};
  // The offset may have moved the instant out of the calendar.
  if (instant.millis < time::kEarliestMs || instant.millis > time::kLatestMs) return std::nullopt;
  return instant;
}

bool HoldsExactly(const model::TypeModel& type, model::Instant instant) {
  if (instant.millis % 1000 == 0) return true;
  return type.stored == model::InstantForm::kEpochMillis ||
         (type.stored == model::InstantForm::kIso && type.milliseconds);
}

std::string ClientText(model::Instant instant, bool milliseconds) {
  return model::Spell(instant, milliseconds || instant.millis % 1000 != 0 ? "isoms" : "iso");
}

}  // namespace monotable::entities

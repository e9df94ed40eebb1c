#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "item/value.h"
#include "model/type.h"

// Moments and days as models store and spell them. Everything is UTC and strict: a text has exactly
// the digits of its form and names a day that exists, so that equal moments have equal texts.
namespace monotable::model {

// A moment to the millisecond, in the Gregorian calendar, from year 0001 to 9999.
struct Instant {
  int64_t millis = 0;  // since 1970-01-01T00:00:00Z
  friend auto operator<=>(const Instant&, const Instant&) = default;
};

// 2026-01-30T14:30:00Z or 2026-01-30T14:30:00.123Z.
std::optional<Instant> ParseIso(std::string_view text);
// 30/01/2026 14:30:00.
std::optional<Instant> ParseBrazilian(std::string_view text);
// 2026-01-30, which means the first moment of the day.
std::optional<Instant> ParseDate(std::string_view text);

// The moment of a stored value; nothing if the value does not have that form.
std::optional<Instant> ReadInstant(const item::Value& stored, InstantForm form);
// The same for a value of unknown form. Numbers below 100,000,000,000 are seconds (up to the year
// 5138); larger numbers are milliseconds (from 1973 on).
std::optional<Instant> ReadInstant(const item::Value& stored);
// The value to store. It has milliseconds only if they are asked for or the form has them.
item::Value StoreInstant(Instant instant, InstantForm form, bool milliseconds);

// Whether the format of a template spells instants: iso, isoms, or yyyy MM dd HH mm ss SSS in any
// order with punctuation, T and Z between them.
bool IsSpelling(std::string_view format);
// The text of a moment in such a format.
std::string Spell(Instant instant, std::string_view format);
// The shape of such a text: 0 for each digit, and every other character unchanged.
std::string SpellingShape(std::string_view format);

}  // namespace monotable::model

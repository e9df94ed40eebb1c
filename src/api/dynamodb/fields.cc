#include "api/dynamodb/fields.h"

#include <algorithm>
#include <cmath>

namespace monotable::api::dynamodb {

std::string Fields::Text(std::string_view name) const {
  const auto element = Find(name);
  return element ? std::string(json::StringOf(*element)) : std::string();
}

std::optional<std::string> Fields::OptionalText(std::string_view name) const {
  const auto element = Find(name);
  if (!element) return std::nullopt;
  return std::string(json::StringOf(*element));
}

std::optional<std::vector<std::string>> Fields::OptionalTexts(std::string_view name) const {
  const auto element = Find(name);
  if (!element) return std::nullopt;
  std::vector<std::string> texts;
  for (const auto& text : json::ArrayOf(*element)) texts.emplace_back(json::StringOf(text));
  return texts;
}

bool Fields::Flag(std::string_view name, bool otherwise) const {
  return OptionalFlag(name).value_or(otherwise);
}

std::optional<bool> Fields::OptionalFlag(std::string_view name) const {
  const auto element = Find(name);
  if (!element) return std::nullopt;
  return json::BoolOf(*element);
}

int64_t Fields::Integer(std::string_view name) const {
  return OptionalInteger(name).value_or(0);
}

std::optional<int64_t> Fields::OptionalInteger(std::string_view name) const {
  const auto element = Find(name);
  if (!element) return std::nullopt;
  return json::IntegerOf(*element);
}

// A double holds the milliseconds of any date exactly enough to be rounded to them.
std::optional<int64_t> Fields::OptionalTimeMs(std::string_view name) const {
  constexpr double kMaxMs = 1e15;  // far beyond any date, and far from overflow
  const auto element = Find(name);
  if (!element) return std::nullopt;
  double seconds = 0;
  if (!element->Get(&seconds)) return std::nullopt;
  return std::llround(std::clamp(seconds * 1000, -kMaxMs, kMaxMs));
}

}  // namespace monotable::api::dynamodb

#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "text/characters.h"

namespace monotable::text {

// Keywords, header names and media types are ASCII words whose case does not matter.
constexpr bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && ToLower(a[i]) != ToLower(b[i])) return false;
  }
  return true;
}

// The text without the blanks around it. Header fields have spaces and tabs; lines of files may
// also end with a carriage return. The result always points into the text, even when it is empty,
// so that a header without a value differs from an absent one.
constexpr std::string_view Trim(std::string_view text, std::string_view blanks = " \t") {
  const auto is_blank = [blanks](char c) { return blanks.find(c) != std::string_view::npos; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Blanks around a line that was read from a file.
inline constexpr std::string_view kLineBlanks = " \t\r";

inline std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), ToLower);
  return lower;
}

inline std::string Upper(std::string_view text) {
  std::string upper(text);
  std::ranges::transform(upper, upper.begin(), ToUpper);
  return upper;
}

// The whole text as a decimal number; nullopt if the text contains anything else or the type cannot
// hold the number.
template <typename Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace monotable::text

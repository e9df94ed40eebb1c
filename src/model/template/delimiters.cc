#include "model/template/delimiters.h"

#include <algorithm>

#include "text/characters.h"

namespace monotable::model {
namespace {

bool IsEscaped(const TemplatePart& part) {
  return !part.filters.empty();
}

// Whether a value of the part ends before this character.
bool EndsAt(const TemplatePart& part, char c, const Template::Rules& rules) {
  return (c == '#' && IsEscaped(part)) || rules.forbidden.find(c) != std::string::npos;
}

// How many bytes at the beginning of the text a value takes; zero if it cannot stand there.
size_t Taken(const TemplatePart& part, std::string_view text, const Template::Rules& rules) {
  if (part.format.empty()) {
    const auto end =
        std::find_if(text.begin(), text.end(), [&](char c) { return EndsAt(part, c, rules); });
    return static_cast<size_t>(end - text.begin());
  }
  if (part.is_padded()) {
    size_t width = 0;
    for (const char c : part.format) width = 10 * width + static_cast<size_t>(c - '0');
    const std::string_view digits = text.substr(0, width);
    return digits.size() == width && std::all_of(digits.begin(), digits.end(), text::IsDigit)
               ? width
               : 0;
  }
  const std::string_view shape =
      part.format == "iso" ? "0000-00-00T00:00:00Z" : "0000-00-00T00:00:00.000Z";
  if (text.size() < shape.size()) return 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == '0' ? !text::IsDigit(text[i]) : text[i] != shape[i]) return 0;
  }
  return shape.size();
}

}  // namespace

bool IsDelimited(const std::vector<TemplatePart>& parts, const Template::Rules& rules) {
  for (size_t i = 0; i < parts.size(); ++i) {
    const TemplatePart& part = parts[i];
    if (part.is_literal()) continue;
    if (!part.is_lossless()) return false;
    if (!part.format.empty()) {
      if (!part.filters.empty()) return false;
      continue;
    }
    if (i + 1 == parts.size()) continue;
    const TemplatePart& next = parts[i + 1];
    if (!next.is_literal() || !EndsAt(part, next.literal.front(), rules)) return false;
  }
  return true;
}

std::optional<std::vector<size_t>> DivideAtDelimiters(const std::vector<TemplatePart>& parts,
                                                      std::string_view text,
                                                      const Template::Rules& rules) {
  std::vector<size_t> ends;
  ends.reserve(parts.size());
  size_t at = 0;
  for (const TemplatePart& part : parts) {
    const std::string_view rest = text.substr(at);
    if (part.is_literal()) {
      if (!rest.starts_with(part.literal)) return std::nullopt;
      at += part.literal.size();
    } else {
      const size_t taken = Taken(part, rest, rules);
      if (taken == 0) return std::nullopt;
      at += taken;
    }
    ends.push_back(at);
  }
  if (at != text.size()) return std::nullopt;
  return ends;
}

}  // namespace monotable::model

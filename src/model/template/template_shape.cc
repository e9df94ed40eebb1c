#include "model/template/template_shape.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "model/instant.h"
#include "text/characters.h"

namespace monotable::model {
namespace {

using Bytes = std::bitset<256>;
using Filter = TemplatePart::Filter;

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kSmall = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kCapitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

Bytes Of(std::string_view characters) {
  Bytes bytes;
  for (const char c : characters) bytes.set(static_cast<unsigned char>(c));
  return bytes;
}

// Letters beyond ASCII may become ASCII letters of the new case: ſ is S in upper case.
Bytes InCase(const Bytes& bytes, std::string_view from, std::string_view to) {
  Bytes result = bytes & ~Of(from);
  const bool may_gain = (bytes & Of(from)).any() || (bytes >> 0x80).any();
  return may_gain ? result | Of(to) : result;
}

Bytes AfterFilter(const Bytes& bytes, Filter filter) {
  switch (filter) {
    case Filter::kLower:
    case Filter::kFold:
      return InCase(bytes, kCapitals, kSmall);
    case Filter::kUpper:
      return InCase(bytes, kSmall, kCapitals);
    case Filter::kDigits:
      return bytes & Of(kDigits);
    case Filter::kEscape:
      return (bytes & ~Of("#")) | Of("%235");
    case Filter::kShard:
      return Of(kDigits);
  }
  return bytes;
}

// The bytes of a formatted value, one set each: formats have a fixed width.
std::vector<Bytes> FormattedBytes(const std::string& format) {
  if (!IsSpelling(format)) return std::vector<Bytes>(std::stoul(format), Of(kDigits));
  std::vector<Bytes> result;
  for (const char c : SpellingShape(format)) {
    result.push_back(c == '0' ? Of(kDigits) : Of(std::string_view(&c, 1)));
  }
  return result;
}

}  // namespace

TemplateShape::TemplateShape(const std::vector<TemplatePart>& parts, const Template::Rules& rules)
    : parts_(parts.size()) {
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].is_literal()) {
      AddLiteral(parts[i].literal, i);
    } else {
      AddValue(parts[i], i, rules);
    }
  }
}

void TemplateShape::AddLiteral(std::string_view text, size_t part) {
  for (const char c : text) steps_.push_back({Of(std::string_view(&c, 1)), false, part});
}

void TemplateShape::AddValue(const TemplatePart& value, size_t part, const Template::Rules& rules) {
  Bytes bytes;
  if (value.format.empty()) {
    bytes.set();
  } else {
    const std::vector<Bytes> formatted = FormattedBytes(value.format);
    if (value.filters.empty()) {
      for (const Bytes& one : formatted) steps_.push_back({one, false, part});
      return;
    }
    for (const Bytes& one : formatted) bytes |= one;
  }
  for (const Filter filter : value.filters) bytes = AfterFilter(bytes, filter);
  if (value.format.empty()) bytes &= ~Of(rules.forbidden);
  steps_.push_back({bytes, true, part});
}

std::optional<std::vector<size_t>> TemplateShape::Divide(std::string_view text) const {
  // The number of ways (none, one, or more) in which the steps from i on make the text from
  // position p on.
  const size_t width = text.size() + 1;
  std::vector<uint8_t> ways((steps_.size() + 1) * width);
  ways.back() = 1;
  for (size_t i = steps_.size(); i-- > 0;) {
    for (size_t p = text.size(); p-- > 0;) {
      if (!steps_[i].Takes(text[p])) continue;
      const int here =
          ways[(i + 1) * width + p + 1] + (steps_[i].repeats ? ways[i * width + p + 1] : 0);
      ways[i * width + p] = static_cast<uint8_t>(std::min(here, 2));
    }
  }
  if (ways[0] != 1) return std::nullopt;

  std::vector<size_t> ends(parts_);
  size_t i = 0;
  for (size_t p = 0; p < text.size(); ++p) {
    ends[steps_[i].part] = p + 1;
    if (ways[(i + 1) * width + p + 1] != 0) ++i;
  }
  return ends;
}

namespace {

bool IsEscaped(const TemplatePart& part) {
  return !part.filters.empty();
}

// Whether a value of the part ends before this character.
bool EndsAt(const TemplatePart& part, char c, const Template::Rules& rules) {
  return (c == '#' && IsEscaped(part)) || rules.forbidden.find(c) != std::string::npos;
}

// The number of bytes that a value takes at the beginning of the text; zero if the value cannot be
// there.
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

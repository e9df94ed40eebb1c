#include "model/template/shape.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "model/instant.h"

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
  // In how many ways (none, one, or more) the steps from i on make the text from position p on.
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

}  // namespace monotable::model

#include "model/plan/shape.h"

#include <utility>

#include "model/instant.h"
#include "model/plan/keys.h"
#include "model/plan/match.h"

namespace monotable::model {
namespace {

std::bitset<256> BytesOf(std::string_view characters) {
  std::bitset<256> bytes;
  for (const char character : characters) bytes.set(static_cast<unsigned char>(character));
  return bytes;
}

const std::bitset<256> kDigitBytes = BytesOf("0123456789");
const std::bitset<256> kNumber = BytesOf("0123456789-.");
const std::bitset<256> kInstant = BytesOf("0123456789-:./ TZ");
const std::bitset<256> kLower = BytesOf("abcdefghijklmnopqrstuvwxyz");
const std::bitset<256> kUpper = BytesOf("ABCDEFGHIJKLMNOPQRSTUVWXYZ");

// The characters of a regular expression that is one class, [^@#]+ or [a-z0-9-]*; all if it is
// anything else.
std::bitset<256> CharactersOf(std::string_view expression) {
  const std::bitset<256> all = ~std::bitset<256>();
  if (expression.starts_with('^')) expression.remove_prefix(1);
  if (expression.ends_with('$')) expression.remove_suffix(1);
  const size_t close = expression.find(']');
  if (!expression.starts_with('[') || close == std::string_view::npos) return all;
  const std::string_view repeated = expression.substr(close + 1);
  if (repeated != "+" && repeated != "*" &&
      !(repeated.starts_with('{') && repeated.find('}') + 1 == repeated.size())) {
    return all;
  }
  std::string_view members = expression.substr(1, close - 1);
  const bool others = members.starts_with('^');
  if (others) members.remove_prefix(1);
  std::bitset<256> bytes;
  for (size_t i = 0; i < members.size(); ++i) {
    const auto from = static_cast<unsigned char>(members[i]);
    if (from == '\\' || from == '[' || from >= 0x80) return all;
    unsigned char to = from;
    if (i + 2 < members.size() && members[i + 1] == '-') {
      to = static_cast<unsigned char>(members[i + 2]);
      i += 2;
    }
    for (unsigned byte = from; byte <= to; ++byte) bytes.set(byte);
  }
  return others ? ~bytes : bytes;
}

}  // namespace

TextShape TextShape::Of(const Model& model, const EntityModel& entity, const Template& text) {
  TextShape shape;
  for (const TemplatePart& part : text.parts()) {
    if (part.is_literal()) {
      shape.Literal(part.literal);
    } else {
      shape.Attribute(model, entity, part);
    }
  }
  return shape;
}

TextShape TextShape::AndMore() const {
  TextShape shape = *this;
  shape.Any(Bytes().set());
  return shape;
}

void TextShape::Literal(std::string_view text) {
  for (const char character : text) One(BytesOf({&character, 1}));
}

void TextShape::Attribute(const Model& model, const EntityModel& entity, const TemplatePart& part) {
  const AttributeModel* attribute = FindAttribute(entity, part.attribute);
  const TypeModel* type = attribute != nullptr ? &attribute->type : nullptr;
  const TypeKind kind = type != nullptr ? type->kind : TypeKind::kString;
  if (HasFilter(part, TemplatePart::Filter::kShard)) {
    One(kDigitBytes);
    return Any(kDigitBytes);
  }
  if (const size_t width = PaddedWidth(part); width > 0) {
    for (size_t i = 0; i < width; ++i) One(kDigitBytes);
    return;
  }
  if (IsSpelling(part.format)) {
    for (const char character : SpellingShape(part.format)) {
      One(character == '0' ? kDigitBytes : BytesOf({&character, 1}));
    }
    return;
  }
  if (kind == TypeKind::kInstant || kind == TypeKind::kDate) {
    One(kDigitBytes);
    return Any(kInstant);
  }
  if (kind == TypeKind::kInteger || kind == TypeKind::kDecimal) {
    One(kNumber);
    return Any(kNumber);
  }
  if (kind == TypeKind::kEnum && part.filters.empty()) {
    const EnumModel* values = model.FindEnum(type->enum_name);
    if (values != nullptr && !values->open) return Enumeration(*values);
  }
  Text(type, part, model.forbidden_in_keys);
}

void TextShape::Enumeration(const EnumModel& type) {
  Bytes first;
  Bytes other;
  for (const EnumModel::Value& value : type.values) {
    if (value.text.empty()) continue;
    first |= BytesOf(std::string_view(value.text).substr(0, 1));
    other |= BytesOf(std::string_view(value.text).substr(1));
  }
  One(first);
  Any(other);
}

void TextShape::Text(const TypeModel* type, const TemplatePart& part, std::string_view forbidden) {
  Bytes bytes = ~BytesOf(forbidden);
  if (HasFilter(part, TemplatePart::Filter::kLower)) bytes &= ~kUpper;
  if (HasFilter(part, TemplatePart::Filter::kUpper)) bytes &= ~kLower;
  if (HasFilter(part, TemplatePart::Filter::kEscape)) bytes &= ~BytesOf("#");
  if (HasFilter(part, TemplatePart::Filter::kDigits)) bytes = kDigitBytes;
  const std::string_view format = type != nullptr ? std::string_view(type->format) : "";
  if (type != nullptr && part.filters.empty()) bytes &= CharactersOf(type->pattern);
  if (format == "uuid") bytes &= kDigitBytes | BytesOf("abcdefABCDEF-");
  if (format == "ulid") bytes &= kDigitBytes | kUpper | kLower;
  One(bytes);
  Any(bytes);
  if (format == "email" && !HasFilter(part, TemplatePart::Filter::kDigits)) {
    One(BytesOf("@"));
    One(bytes);
    Any(bytes);
  }
}

bool TextShape::Meets(const TextShape& other) const {
  // Walks both at once over all texts that they could have in common; a place is visited once.
  const size_t width = other.elements_.size() + 1;
  std::vector<bool> visited((elements_.size() + 1) * width);
  std::vector<std::pair<size_t, size_t>> open;
  const auto visit = [&](size_t here, size_t there) {
    if (visited[here * width + there]) return;
    visited[here * width + there] = true;
    open.emplace_back(here, there);
  };
  visit(0, 0);
  while (!open.empty()) {
    const auto [here, there] = open.back();
    open.pop_back();
    const bool here_ends = here == elements_.size();
    const bool there_ends = there == other.elements_.size();
    if (here_ends && there_ends) return true;
    if (!here_ends && elements_[here].repeated) visit(here + 1, there);
    if (!there_ends && other.elements_[there].repeated) visit(here, there + 1);
    if (here_ends || there_ends) continue;
    if ((elements_[here].bytes & other.elements_[there].bytes).none()) continue;
    visit(elements_[here].repeated ? here : here + 1,
          other.elements_[there].repeated ? there : there + 1);
  }
  return false;
}

}  // namespace monotable::model

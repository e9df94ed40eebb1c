#include "api/dynamodb/java_text.h"

namespace monotable::api::dynamodb {
namespace {

constexpr size_t kMaxText = 2048;

void Append(const Shape& shape, const json::Element& value, std::string* out);

void AppendList(const Shape& shape, const json::Element& value, std::string* out) {
  out->push_back('[');
  bool first = true;
  for (const auto& element : json::ArrayOf(value)) {
    if (out->size() > kMaxText) return;
    if (!first) out->append(", ");
    first = false;
    Append(*shape.element, element, out);
  }
  out->push_back(']');
}

void AppendMap(const Shape& shape, const json::Element& value, std::string* out) {
  out->push_back('{');
  bool first = true;
  for (const auto& [name, element] : json::ObjectOf(value)) {
    if (out->size() > kMaxText) return;
    if (!first) out->append(", ");
    first = false;
    out->append(name).push_back('=');
    Append(*shape.element, element, out);
  }
  out->push_back('}');
}

void AppendStructure(const Shape& shape, const json::Element& value, std::string* out) {
  out->append(shape.name).push_back('(');
  bool first = true;
  const json::Object object = json::ObjectOf(value);
  for (const Member& member : shape.members) {
    if (out->size() > kMaxText) return;
    const auto element = json::Find(object, member.name);
    if (!element) continue;
    if (!first) out->append(", ");
    first = false;
    out->append(LowerFirst(member.name)).push_back('=');
    Append(*member.shape, *element, out);
  }
  out->push_back(')');
}

void Append(const Shape& shape, const json::Element& value, std::string* out) {
  if (value.is_null()) {
    out->append("null");
    return;
  }
  switch (shape.kind) {
    case Kind::kList:
      return AppendList(shape, value, out);
    case Kind::kMap:
      return AppendMap(shape, value, out);
    case Kind::kStructure:
      return AppendStructure(shape, value, out);
    case Kind::kInteger:
    case Kind::kLong:
      out->append(std::to_string(json::IntegerOf(value)));
      return;
    case Kind::kBoolean:
      out->append(json::BoolOf(value) ? "true" : "false");
      return;
    default:
      out->append(json::StringOf(value));
  }
}

bool IsContinuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

}  // namespace

size_t Utf16Length(std::string_view text) {
  size_t length = 0;
  for (const char byte : text) {
    if (IsContinuation(byte)) continue;
    length += static_cast<unsigned char>(byte) >= 0xf0 ? 2 : 1;
  }
  return length;
}

std::string LowerFirst(std::string_view name) {
  std::string text(name);
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') {
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  }
  return text;
}

std::string JavaText(const Shape& shape, const json::Element& value) {
  std::string text;
  Append(shape, value, &text);
  if (text.size() <= kMaxText) return text;
  size_t end = kMaxText;
  while (end > 0 && IsContinuation(text[end])) --end;
  text.resize(end);
  return text.append("...");
}

}  // namespace monotable::api::dynamodb

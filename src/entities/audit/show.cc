#include "entities/audit/show.h"

#include <fmt/format.h>

namespace monotable::entities {
namespace {

constexpr size_t kMaxShown = 80;

// Cuts a text between two characters of UTF-8.
std::string Cut(const std::string& text) {
  if (text.size() <= kMaxShown) return text;
  size_t end = kMaxShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

}  // namespace

std::string Show(const item::Value* value) {
  if (value == nullptr) return "nothing";
  switch (value->type()) {
    case item::Type::kString:
      return '"' + Cut(value->string()) + '"';
    case item::Type::kNumber:
      return value->number().ToString();
    case item::Type::kBool:
      return value->boolean() ? "true" : "false";
    case item::Type::kNull:
      return "null";
    case item::Type::kBinary:
      return fmt::format("{} bytes", value->binary().size());
    case item::Type::kMap:
      return "a map";
    case item::Type::kList:
      return "a list";
    default:
      return "a set";
  }
}

std::string Show(const item::Item& key) {
  std::string text;
  for (const item::Attribute& attribute : key) {
    if (!text.empty()) text += ", ";
    text += attribute.name + " " + Show(&attribute.value);
  }
  return text;
}

}  // namespace monotable::entities

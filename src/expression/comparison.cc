#include "expression/comparison.h"

#include <algorithm>
#include <string_view>

namespace monotable::expression {

using item::Type;
using item::Value;

namespace {

// The service stores strings as UTF-8 but counts them as Java does: a character outside the basic
// plane, four bytes of UTF-8, is two units.
size_t Utf16Length(std::string_view text) {
  size_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) != 0x80) ++units;
    if (byte >= 0xF0) ++units;
  }
  return units;
}

template <typename Members, typename T>
bool HasMember(const Members& sorted, const T& member) {
  return std::binary_search(sorted.begin(), sorted.end(), member);
}

}  // namespace

bool IsOrdered(Type type) {
  return type == Type::kString || type == Type::kNumber || type == Type::kBinary;
}

std::partial_ordering Compare(const Value& a, const Value& b) {
  if (a.type() != b.type()) return std::partial_ordering::unordered;
  switch (a.type()) {
    case Type::kString:
      return a.string() <=> b.string();
    case Type::kNumber:
      return a.number() <=> b.number();
    case Type::kBinary:
      return a.binary() <=> b.binary();
    default:
      return std::partial_ordering::unordered;
  }
}

bool BeginsWith(const Value& value, const Value& prefix) {
  if (value.type() != prefix.type()) return false;
  if (value.is(Type::kString)) return value.string().starts_with(prefix.string());
  return value.is(Type::kBinary) && value.binary().starts_with(prefix.binary());
}

bool Contains(const Value& value, const Value& part) {
  switch (value.type()) {
    case Type::kString:
      return part.is(Type::kString) && value.string().find(part.string()) != std::string::npos;
    case Type::kBinary:
      return part.is(Type::kBinary) && value.binary().find(part.binary()) != std::string::npos;
    case Type::kStringSet:
      return part.is(Type::kString) && HasMember(value.string_set(), part.string());
    case Type::kNumberSet:
      return part.is(Type::kNumber) && HasMember(value.number_set(), part.number());
    case Type::kBinarySet:
      return part.is(Type::kBinary) && HasMember(value.binary_set(), part.binary());
    case Type::kList:
      return std::ranges::find(value.list(), part) != value.list().end();
    default:
      return false;
  }
}

std::optional<item::Number> LogicalSize(const Value& value) {
  size_t size = 0;
  switch (value.type()) {
    case Type::kString:
      size = Utf16Length(value.string());
      break;
    case Type::kBinary:
      size = value.binary().size();
      break;
    case Type::kStringSet:
      size = value.string_set().size();
      break;
    case Type::kNumberSet:
      size = value.number_set().size();
      break;
    case Type::kBinarySet:
      size = value.binary_set().size();
      break;
    case Type::kList:
      size = value.list().size();
      break;
    case Type::kMap:
      size = value.map().size();
      break;
    default:
      return std::nullopt;
  }
  return item::Number::FromInt(static_cast<int64_t>(size));
}

}  // namespace monotable::expression

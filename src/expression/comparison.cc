#include "expression/comparison.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <vector>

#include "work/meter.h"

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

// What looking at a value costs, however small it is.
constexpr size_t kValueUnits = 8;

size_t UnitsOf(const std::string& text) {
  return kValueUnits + text.size();
}

size_t UnitsOf(const item::Number&) {
  return kValueUnits;
}

// A binary search compares the member with a few others, each time at most all of its bytes.
template <typename T>
bool HasMember(const std::vector<T>& sorted, const T& member) {
  return work::Charge(UnitsOf(member) * static_cast<size_t>(std::bit_width(sorted.size()) + 1)) &&
         std::binary_search(sorted.begin(), sorted.end(), member);
}

// std::string::find starts a comparison at every place where the first byte fits, which takes
// forever on repetitive texts. memmem remembers what it has compared.
bool HasPart(std::string_view text, std::string_view part) {
  if (part.size() > text.size()) return false;
  if (!work::Charge(kValueUnits + 2 * text.size() + part.size())) return false;
  return memmem(text.data(), text.size(), part.data(), part.size()) != nullptr;
}

bool EqualMembers(const std::string& a, const std::string& b) {
  return a.size() == b.size() && work::Charge(UnitsOf(a)) && a == b;
}

bool EqualMembers(const item::Number& a, const item::Number& b) {
  return work::Charge(kValueUnits) && a == b;
}

bool EqualMembers(const Value& a, const Value& b) {
  return Equal(a, b);
}

bool EqualMembers(const item::Attribute& a, const item::Attribute& b) {
  return EqualMembers(a.name, b.name) && Equal(a.value, b.value);
}

constexpr auto kEqualContainers = [](const auto& a, const auto& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(),
                    [](const auto& x, const auto& y) { return EqualMembers(x, y); });
};

}  // namespace

bool Equal(const Value& a, const Value& b) {
  if (a.type() != b.type() || !work::Charge(kValueUnits)) return false;
  switch (a.type()) {
    case Type::kString:
      return EqualMembers(a.string(), b.string());
    case Type::kBinary:
      return EqualMembers(a.binary(), b.binary());
    case Type::kStringSet:
      return kEqualContainers(a.string_set(), b.string_set());
    case Type::kNumberSet:
      return kEqualContainers(a.number_set(), b.number_set());
    case Type::kBinarySet:
      return kEqualContainers(a.binary_set(), b.binary_set());
    case Type::kMap:
      return kEqualContainers(a.map(), b.map());
    case Type::kList:
      return kEqualContainers(a.list(), b.list());
    case Type::kNumber:
    case Type::kBool:
    case Type::kNull:
      break;
  }
  return a == b;
}

bool IsOrdered(Type type) {
  return type == Type::kString || type == Type::kNumber || type == Type::kBinary;
}

std::partial_ordering Compare(const Value& a, const Value& b) {
  const auto compared = [](const auto& x, const auto& y) -> std::partial_ordering {
    if (!work::Charge(std::min(UnitsOf(x), UnitsOf(y)))) return std::partial_ordering::unordered;
    return x <=> y;
  };
  if (a.type() != b.type()) return std::partial_ordering::unordered;
  switch (a.type()) {
    case Type::kString:
      return compared(a.string(), b.string());
    case Type::kNumber:
      return compared(a.number(), b.number());
    case Type::kBinary:
      return compared(a.binary(), b.binary());
    default:
      return std::partial_ordering::unordered;
  }
}

bool BeginsWith(const Value& value, const Value& prefix) {
  const auto begins = [](const std::string& text, const std::string& beginning) {
    return beginning.size() <= text.size() && work::Charge(UnitsOf(beginning)) &&
           text.starts_with(beginning);
  };
  if (value.type() != prefix.type()) return false;
  if (value.is(Type::kString)) return begins(value.string(), prefix.string());
  return value.is(Type::kBinary) && begins(value.binary(), prefix.binary());
}

bool Contains(const Value& value, const Value& part) {
  switch (value.type()) {
    case Type::kString:
      return part.is(Type::kString) && HasPart(value.string(), part.string());
    case Type::kBinary:
      return part.is(Type::kBinary) && HasPart(value.binary(), part.binary());
    case Type::kStringSet:
      return part.is(Type::kString) && HasMember(value.string_set(), part.string());
    case Type::kNumberSet:
      return part.is(Type::kNumber) && HasMember(value.number_set(), part.number());
    case Type::kBinarySet:
      return part.is(Type::kBinary) && HasMember(value.binary_set(), part.binary());
    case Type::kList:
      return std::ranges::any_of(value.list(),
                                 [&](const Value& member) { return Equal(member, part); });
    default:
      return false;
  }
}

std::optional<item::Number> LogicalSize(const Value& value) {
  size_t size = 0;
  switch (value.type()) {
    case Type::kString:
      if (!work::Charge(UnitsOf(value.string()))) return std::nullopt;
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

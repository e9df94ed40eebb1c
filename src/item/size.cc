#include "item/size.h"

#include <algorithm>

namespace monotable::item {
namespace {

struct Sizer {
  size_t operator()(const std::string& text) const { return text.size(); }
  size_t operator()(const Number& number) const { return number.StoredSize(); }
  size_t operator()(const Binary& binary) const { return binary.bytes.size(); }
  size_t operator()(bool) const { return 1; }
  size_t operator()(Null) const { return 1; }
  size_t operator()(const Map& map) const { return 3 + SizeOf(map) + map.size(); }
  size_t operator()(const List& list) const {
    size_t total = 3 + list.size();
    for (const Value& member : list) total += SizeOf(member);
    return total;
  }
  size_t operator()(const StringSet& set) const { return Sum(set.members); }
  size_t operator()(const BinarySet& set) const { return Sum(set.members); }
  size_t operator()(const NumberSet& set) const {
    size_t total = 0;
    for (const Number& member : set.members) total += member.StoredSize();
    return total;
  }

 private:
  static size_t Sum(const std::vector<std::string>& members) {
    size_t total = 0;
    for (const std::string& member : members) total += member.size();
    return total;
  }
};

}  // namespace

size_t SizeOf(const Value& value) {
  return std::visit(Sizer{}, value.data());
}

size_t SizeOf(const Item& item) {
  size_t total = 0;
  for (const Attribute& attribute : item) total += attribute.name.size() + SizeOf(attribute.value);
  return total;
}

int DepthOf(const Value& value) {
  int deepest = 0;
  if (value.is(Type::kMap)) {
    for (const Attribute& attribute : value.map()) {
      deepest = std::max(deepest, DepthOf(attribute.value));
    }
    return deepest + 1;
  }
  if (value.is(Type::kList)) {
    for (const Value& member : value.list()) deepest = std::max(deepest, DepthOf(member));
    return deepest + 1;
  }
  return 0;
}

}  // namespace monotable::item

#include "item/value.h"

#include <algorithm>
#include <iterator>

namespace monotable::item {
namespace {

template <typename Attributes>
auto LowerBound(Attributes& attributes, std::string_view name) {
  return std::lower_bound(
      attributes.begin(), attributes.end(), name,
      [](const Attribute& a, std::string_view n) { return a.name.compare(n) < 0; });
}

template <typename T>
std::vector<T> SortedUnique(std::vector<T> members) {
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return members;
}

}  // namespace

std::string_view TypeName(Type type) {
  switch (type) {
    case Type::kString:
      return "S";
    case Type::kNumber:
      return "N";
    case Type::kBinary:
      return "B";
    case Type::kBool:
      return "BOOL";
    case Type::kNull:
      return "NULL";
    case Type::kMap:
      return "M";
    case Type::kList:
      return "L";
    case Type::kStringSet:
      return "SS";
    case Type::kNumberSet:
      return "NS";
    case Type::kBinarySet:
      return "BS";
  }
  return "";
}

Map::Map() = default;
Map::Map(const Map&) = default;
Map::Map(Map&&) noexcept = default;
Map& Map::operator=(const Map&) = default;
Map& Map::operator=(Map&&) noexcept = default;
Map::~Map() = default;

const Value* Map::Find(std::string_view name) const {
  const auto at = LowerBound(attributes_, name);
  return at != attributes_.end() && at->name == name ? &at->value : nullptr;
}

Value* Map::Find(std::string_view name) {
  const auto at = LowerBound(attributes_, name);
  return at != attributes_.end() && at->name == name ? &at->value : nullptr;
}

void Map::Set(std::string_view name, Value value) {
  const auto at = LowerBound(attributes_, name);
  if (at != attributes_.end() && at->name == name) {
    at->value = std::move(value);
  } else {
    attributes_.insert(at, Attribute{std::string(name), std::move(value)});
  }
}

void Map::SetAll(Attributes attributes) {
  Attributes added;
  for (Attribute& attribute : attributes) {
    if (Value* value = Find(attribute.name)) {
      *value = std::move(attribute.value);
    } else {
      added.push_back(std::move(attribute));
    }
  }
  if (added.size() == 1) {
    attributes_.insert(LowerBound(attributes_, added.front().name), std::move(added.front()));
    return;
  }
  const auto middle = static_cast<Attributes::difference_type>(attributes_.size());
  attributes_.insert(attributes_.end(), std::make_move_iterator(added.begin()),
                     std::make_move_iterator(added.end()));
  std::inplace_merge(attributes_.begin(), attributes_.begin() + middle, attributes_.end(),
                     [](const Attribute& a, const Attribute& b) { return a.name < b.name; });
}

bool Map::Remove(std::string_view name) {
  const auto at = LowerBound(attributes_, name);
  if (at == attributes_.end() || at->name != name) return false;
  attributes_.erase(at);
  return true;
}

void Map::RemoveAll(std::span<const std::string_view> names) {
  auto next = names.begin();
  std::erase_if(attributes_, [&](const Attribute& attribute) {
    while (next != names.end() && *next < attribute.name) ++next;
    return next != names.end() && *next == attribute.name;
  });
}

Map Map::FromUnsorted(Attributes attributes) {
  const auto by_name = [](const Attribute& a, const Attribute& b) { return a.name < b.name; };
  Map map;
  if (!std::is_sorted(attributes.begin(), attributes.end(), by_name)) {
    std::stable_sort(attributes.begin(), attributes.end(), by_name);
  }
  // Of several attributes with the same name the last one stays. std::unique keeps the first of a
  // run, so it runs backwards.
  const auto same = [](const Attribute& a, const Attribute& b) { return a.name == b.name; };
  const auto kept = std::unique(attributes.rbegin(), attributes.rend(), same);
  attributes.erase(attributes.begin(), kept.base());
  map.attributes_ = std::move(attributes);
  return map;
}

bool Map::empty() const {
  return attributes_.empty();
}
size_t Map::size() const {
  return attributes_.size();
}
Map::Attributes::const_iterator Map::begin() const {
  return attributes_.begin();
}
Map::Attributes::const_iterator Map::end() const {
  return attributes_.end();
}
Map::Attributes::iterator Map::begin() {
  return attributes_.begin();
}
Map::Attributes::iterator Map::end() {
  return attributes_.end();
}

bool operator==(const Map& a, const Map& b) {
  return a.attributes_ == b.attributes_;
}

StringSet MakeStringSet(std::vector<std::string> members) {
  return StringSet{SortedUnique(std::move(members))};
}

NumberSet MakeNumberSet(std::vector<Number> members) {
  return NumberSet{SortedUnique(std::move(members))};
}

BinarySet MakeBinarySet(std::vector<std::string> members) {
  return BinarySet{SortedUnique(std::move(members))};
}

namespace {

constexpr size_t kMaxNameBytes = 65535;

}  // namespace

Status CheckAttributeName(std::string_view name) {
  if (name.empty()) {
    return Error::Validation("One or more parameter values were invalid: Empty attribute name");
  }
  if (name.size() > kMaxNameBytes) {
    return Error::Validation(
        "One or more parameter values were invalid: Attribute name is too large, must be less "
        "than 65536 bytes");
  }
  return {};
}

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

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/dynamodb/attribute_value.h"
#include "item/value.h"
#include "json/base64.h"

namespace monotable::api::dynamodb {
namespace {

// The item is the first of the 32 levels, so a value has one less.
constexpr int kMaxValueLevels = item::kMaxNesting - 1;

Error Invalid(std::string_view what) {
  return Error::Validation(std::string("One or more parameter values were invalid: ").append(what));
}

// Built only when a set is refused: "[a, b, a]".
std::string ListOf(const json::Array& members) {
  std::string list = "[";
  for (const auto& member : members) {
    if (list.size() > 1) list.append(", ");
    list.append(json::StringOf(member));
  }
  return list.append("]");
}

Result<item::Value> DecodeStringSet(const json::Array& array) {
  std::vector<std::string> members;
  members.reserve(array.size());
  for (const auto& member : array) {
    if (member.is_null()) {
      return Invalid("An string set  may not have a null string as a member");
    }
    members.emplace_back(json::StringOf(member));
  }
  // The service says "An string set", with two blanks after it.
  if (members.empty()) return Invalid("An string set  may not be empty");
  const size_t count = members.size();
  item::StringSet set = item::MakeStringSet(std::move(members));
  if (set.members.size() != count) {
    return Invalid(fmt::format("Input collection {} contains duplicates.", ListOf(array)));
  }
  return item::Value(std::move(set));
}

Result<item::Value> DecodeNumberSet(const json::Array& array) {
  std::vector<item::Number> members;
  members.reserve(array.size());
  for (const auto& member : array) {
    TRY_ASSIGN(auto number, item::Number::Parse(json::StringOf(member)));
    members.push_back(number);
  }
  if (members.empty()) return Invalid("An number set  may not be empty");
  const size_t count = members.size();
  item::NumberSet set = item::MakeNumberSet(std::move(members));
  if (set.members.size() != count) {
    // Numbers are compared by value, and their message has neither list nor prefix.
    return Error::Validation("Input collection contains duplicates");
  }
  return item::Value(std::move(set));
}

Result<item::Value> DecodeBinarySet(const json::Array& array) {
  std::vector<std::string> members;
  members.reserve(array.size());
  for (const auto& member : array) {
    TRY_ASSIGN(auto bytes, json::DecodeBase64(json::StringOf(member)));
    members.push_back(std::move(bytes));
  }
  if (members.empty()) return Invalid("Binary sets should not be empty");
  const size_t count = members.size();
  item::BinarySet set = item::MakeBinarySet(std::move(members));
  if (set.members.size() != count) {
    // The missing blank is the service's.
    return Invalid(
        fmt::format("Input collection {}of type BS contains duplicates.", ListOf(array)));
  }
  return item::Value(std::move(set));
}

Result<item::Value> DecodeLevel(const json::Element& element, int levels);

Result<item::Map> DecodeMap(const json::Object& object, int levels) {
  // Maps are kept sorted, and sorting views now is cheaper than sorting values later. The sort is
  // stable, so that of equal names the last stays the last.
  std::vector<json::Field> fields;
  fields.reserve(object.size());
  for (const auto& field : object) fields.push_back(field);
  const auto by_name = [](const auto& a, const auto& b) { return a.key < b.key; };
  if (!std::is_sorted(fields.begin(), fields.end(), by_name)) {
    std::stable_sort(fields.begin(), fields.end(), by_name);
  }
  item::Map::Attributes attributes;
  attributes.reserve(fields.size());
  for (const auto& [name, element] : fields) {
    TRY(item::CheckAttributeName(name));
    auto value = DecodeLevel(element, levels);
    if (!value) return std::move(value).error();
    attributes.push_back({std::string(name), std::move(*value)});
  }
  return item::Map::FromUnsorted(std::move(attributes));
}

Result<item::Value> DecodeList(const json::Array& array, int levels) {
  item::List list;
  list.reserve(array.size());
  for (const auto& element : array) {
    auto value = DecodeLevel(element, levels);
    if (!value) return std::move(value).error();
    list.push_back(std::move(*value));
  }
  return item::Value(std::move(list));
}

Error TooDeep() {
  return Error::Validation(
      "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels "
      "beyond supported limit");
}

// A type letter on the wire; nullopt is an unknown member, which is ignored.
std::optional<item::Type> TypeOf(std::string_view name) {
  if (name.size() == 1) {
    switch (name[0]) {
      case 'S':
        return item::Type::kString;
      case 'N':
        return item::Type::kNumber;
      case 'B':
        return item::Type::kBinary;
      case 'M':
        return item::Type::kMap;
      case 'L':
        return item::Type::kList;
      default:
        return std::nullopt;
    }
  }
  if (name == "BOOL") return item::Type::kBool;
  if (name == "NULL") return item::Type::kNull;
  if (name == "SS") return item::Type::kStringSet;
  if (name == "NS") return item::Type::kNumberSet;
  if (name == "BS") return item::Type::kBinarySet;
  return std::nullopt;
}

// levels: how many lists and maps may still be opened.
Result<item::Value> DecodeTyped(item::Type type, const json::Element& content, int levels) {
  switch (type) {
    case item::Type::kString:
      return item::Value(json::StringOf(content));
    case item::Type::kNumber: {
      TRY_ASSIGN(auto number, item::Number::Parse(json::StringOf(content)));
      return item::Value(number);
    }
    case item::Type::kBinary: {
      TRY_ASSIGN(auto bytes, json::DecodeBase64(json::StringOf(content)));
      return item::Value(item::Binary{std::move(bytes)});
    }
    case item::Type::kBool:
      return item::Value(json::BoolOf(content));
    case item::Type::kNull:
      if (json::BoolOf(content)) return item::Value(item::Null{});
      return Invalid("Null attribute value types must have the value of true");
    case item::Type::kMap: {
      if (levels == 0) return TooDeep();
      TRY_ASSIGN(auto map, DecodeMap(json::ObjectOf(content), levels - 1));
      return item::Value(std::move(map));
    }
    case item::Type::kList:
      if (levels == 0) return TooDeep();
      return DecodeList(json::ArrayOf(content), levels - 1);
    case item::Type::kStringSet:
      return DecodeStringSet(json::ArrayOf(content));
    case item::Type::kNumberSet:
      return DecodeNumberSet(json::ArrayOf(content));
    case item::Type::kBinarySet:
      return DecodeBinarySet(json::ArrayOf(content));
  }
  return Error::Internal("an attribute value of no type");
}

Result<item::Value> DecodeLevel(const json::Element& element, int levels) {
  std::optional<item::Type> type;
  json::Element content;
  for (const auto& [name, member] : json::ObjectOf(element)) {
    const auto member_type = TypeOf(name);
    if (!member_type || member.is_null()) continue;
    if (type && *type != *member_type) {
      return Error::Validation(
          "Supplied AttributeValue has more than one datatypes set, must contain exactly one of "
          "the supported datatypes");
    }
    type = member_type;
    content = member;
  }
  if (!type) {
    return Error::Validation(
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes");
  }
  return DecodeTyped(*type, content, levels);
}

}  // namespace

Result<item::Value> DecodeValue(const json::Element& element, Nesting nesting) {
  return DecodeLevel(
      element, nesting == Nesting::kChecked ? kMaxValueLevels : static_cast<int>(json::kMaxDepth));
}

Result<item::Item> DecodeItem(const json::Object& object) {
  return DecodeMap(object, kMaxValueLevels);
}

}  // namespace monotable::api::dynamodb

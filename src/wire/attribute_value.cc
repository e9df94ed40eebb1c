#include "wire/attribute_value.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "item/value.h"
#include "json/base64.h"
#include "json/json_writer.h"
#include "work/meter.h"

namespace monotable::wire {
namespace {

constexpr Shape kText = Scalar(Kind::kString);
constexpr Shape kFlag = Scalar(Kind::kBoolean);
constexpr Shape kBlob = Scalar(Kind::kBlob);

constexpr Shape kTextList = ListOf(&kText);
constexpr Shape kBlobList = ListOf(&kBlob);
// Attribute values contain themselves, so these two are written out instead of built.
constexpr Shape kValueList = {.kind = Kind::kList, .element = &kAttributeValueShape};
constexpr Shape kValueMap = {.kind = Kind::kMap, .element = &kAttributeValueShape};
constexpr Member kAttributeValueMembers[] = {
    {"S", &kText},      {"N", &kText},      {"B", &kBlob},     {"SS", &kTextList},
    {"NS", &kTextList}, {"BS", &kBlobList}, {"M", &kValueMap}, {"L", &kValueList},
    {"NULL", &kFlag},   {"BOOL", &kFlag},
};

}  // namespace

constexpr Shape kAttributeValueShape = {
    .kind = Kind::kStructure, .name = "AttributeValue", .members = kAttributeValueMembers};

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

namespace {

// The beginning of every value of a type, so that the common ones are one append.
std::string_view Opening(item::Type type) {
  switch (type) {
    case item::Type::kString:
      return R"({"S":)";
    case item::Type::kNumber:
      return R"({"N":")";
    case item::Type::kBinary:
      return R"({"B":")";
    case item::Type::kBool:
      return R"({"BOOL":)";
    case item::Type::kNull:
      return R"({"NULL":true)";
    case item::Type::kMap:
      return R"({"M":)";
    case item::Type::kList:
      return R"({"L":[)";
    case item::Type::kStringSet:
      return R"({"SS":[)";
    case item::Type::kNumberSet:
      return R"({"NS":[)";
    case item::Type::kBinarySet:
      return R"({"BS":[)";
  }
  return "{";
}

// Appends an item to a text.
class ItemPrinter {
 public:
  ItemPrinter(std::string* out, size_t expected) : out_(out, expected) {}

  void PrintMap(encoding::MapView map) {
    std::string_view name;
    encoding::ValueView value(item::Type::kNull, {});
    out_.Print('{');
    for (bool first = true; map.Next(&name, &value); first = false) {
      if (!first) out_.Print(',');
      if (PrintShortAttribute(name, value)) continue;
      out_.PrintString(name);
      out_.Print(':');
      PrintValue(value);
    }
    out_.Print('}');
  }

 private:
  template <size_t kSize>
  static char* PrintLiteral(const char (&text)[kSize], char* at) {
    std::memcpy(at, text, kSize - 1);
    return at + kSize - 1;
  }

  // Prints an attribute that is a short string or a number, as most are, with one look for room.
  bool PrintShortAttribute(std::string_view name, const encoding::ValueView& value) {
    const std::string_view scalar = value.scalar();
    const bool is_string = value.type() == item::Type::kString;
    if (!is_string && value.type() != item::Type::kNumber) return false;
    if (name.size() + scalar.size() > json::Printer::kLongString) return false;
    constexpr size_t kAround = sizeof R"(:{"N":""})";
    char* at = out_.Room(json::MaxStringLength(name.size()) + json::MaxStringLength(scalar.size()) +
                         kAround);
    at = json::PrintString(name, at);
    if (is_string) {
      at = json::PrintString(scalar, PrintLiteral(R"(:{"S":)", at));
    } else {
      at = PrintLiteral(R"(:{"N":")", at);
      at += scalar.copy(at, scalar.size());
      *at++ = '"';
    }
    *at++ = '}';
    out_.Printed(at);
    return true;
  }

  void PrintList(encoding::ListView list) {
    encoding::ValueView value(item::Type::kNull, {});
    for (bool first = true; list.Next(&value); first = false) {
      if (!first) out_.Print(',');
      PrintValue(value);
    }
  }

  void PrintSet(const encoding::ValueView& value) {
    std::string_view member;
    bool first = true;
    for (encoding::SetView set = value.set(); set.Next(&member); first = false) {
      if (!first) out_.Print(',');
      if (value.type() == item::Type::kStringSet) {
        out_.PrintString(member);
        continue;
      }
      out_.Print('"');
      if (value.type() == item::Type::kNumberSet) {
        out_.Print(member);
      } else {
        out_.PrintBase64(member);
      }
      out_.Print('"');
    }
  }

  void PrintValue(const encoding::ValueView& value) {
    out_.Print(Opening(value.type()));
    switch (value.type()) {
      case item::Type::kString:
        out_.PrintString(value.scalar());
        break;
      case item::Type::kNumber:
        out_.Print(value.scalar());
        out_.Print('"');
        break;
      case item::Type::kBinary:
        out_.PrintBase64(value.scalar());
        out_.Print('"');
        break;
      case item::Type::kBool:
        out_.Print(value.boolean() ? std::string_view("true") : std::string_view("false"));
        break;
      case item::Type::kNull:
        break;
      case item::Type::kMap:
        PrintMap(value.map());
        break;
      case item::Type::kList:
        PrintList(value.list());
        out_.Print(']');
        break;
      default:
        PrintSet(value);
        out_.Print(']');
    }
    out_.Print('}');
  }

  json::Printer out_;
};

}  // namespace

size_t ExpectedSize(const encoding::ItemView& item) {
  // About half as much again: type letters, quotes and braces.
  return item.record().size() * 3 / 2 + 64;
}

void EncodeItem(const encoding::ItemView& item, json::Writer* writer) {
  if (!work::Keep(item.record().size())) return;
  writer->Raw("");  // a comma, if one is due
  ItemPrinter(writer->out(), ExpectedSize(item)).PrintMap(item.attributes());
}

void EncodeItem(const item::Item& item, json::Writer* writer) {
  const encoding::EncodedItem encoded = encoding::EncodeItem(item);
  EncodeItem(encoding::ItemView(encoded), writer);
}

}  // namespace monotable::wire

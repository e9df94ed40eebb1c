#include <string_view>

#include "api/dynamodb/attribute_value.h"
#include "json/json_writer.h"

namespace monotable::api::dynamodb {
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
      out_.PrintString(name);
      out_.Print(':');
      PrintValue(value);
    }
    out_.Print('}');
  }

 private:
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
  writer->Raw("");  // a comma, if one is due
  ItemPrinter(writer->out(), ExpectedSize(item)).PrintMap(item.attributes());
}

void EncodeItem(const item::Item& item, json::Writer* writer) {
  const encoding::EncodedItem encoded = encoding::EncodeItem(item);
  EncodeItem(encoding::ItemView(encoded), writer);
}

}  // namespace monotable::api::dynamodb

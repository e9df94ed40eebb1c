#include <string_view>

#include "api/dynamodb/attribute_value.h"
#include "json/base64.h"

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
      return R"({"M":{)";
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

void AppendSet(const encoding::ValueView& value, std::string* out) {
  std::string_view member;
  bool first = true;
  for (encoding::SetView set = value.set(); set.Next(&member); first = false) {
    if (!first) out->push_back(',');
    if (value.type() == item::Type::kStringSet) {
      json::AppendString(member, out);
      continue;
    }
    out->push_back('"');
    if (value.type() == item::Type::kNumberSet) {
      out->append(member);
    } else {
      json::AppendBase64(member, out);
    }
    out->push_back('"');
  }
}

void AppendValue(const encoding::ValueView& value, std::string* out);

void AppendMap(encoding::MapView map, std::string* out) {
  std::string_view name;
  encoding::ValueView value(item::Type::kNull, {});
  for (bool first = true; map.Next(&name, &value); first = false) {
    if (!first) out->push_back(',');
    json::AppendString(name, out);
    out->push_back(':');
    AppendValue(value, out);
  }
}

void AppendList(encoding::ListView list, std::string* out) {
  encoding::ValueView value(item::Type::kNull, {});
  for (bool first = true; list.Next(&value); first = false) {
    if (!first) out->push_back(',');
    AppendValue(value, out);
  }
}

void AppendValue(const encoding::ValueView& value, std::string* out) {
  out->append(Opening(value.type()));
  switch (value.type()) {
    case item::Type::kString:
      json::AppendString(value.scalar(), out);
      break;
    case item::Type::kNumber:
      out->append(value.scalar());
      out->push_back('"');
      break;
    case item::Type::kBinary:
      json::AppendBase64(value.scalar(), out);
      out->push_back('"');
      break;
    case item::Type::kBool:
      out->append(value.boolean() ? "true" : "false");
      break;
    case item::Type::kNull:
      break;
    case item::Type::kMap:
      AppendMap(value.map(), out);
      out->push_back('}');
      break;
    case item::Type::kList:
      AppendList(value.list(), out);
      out->push_back(']');
      break;
    default:
      AppendSet(value, out);
      out->push_back(']');
  }
  out->push_back('}');
}

}  // namespace

void EncodeItem(const encoding::ItemView& item, json::Writer* writer) {
  writer->BeginObject();
  AppendMap(item.attributes(), writer->out());
  writer->EndObject();
}

void EncodeItem(const item::Item& item, json::Writer* writer) {
  const encoding::EncodedItem encoded = encoding::EncodeItem(item);
  EncodeItem(encoding::ItemView(encoded), writer);
}

}  // namespace monotable::api::dynamodb

#include "wire/table_json.h"

#include <algorithm>
#include <string>
#include <utility>

namespace monotable::wire {

void WriteKeySchema(const table::KeySchema& key, json::Writer* out) {
  out->Key("KeySchema").BeginArray();
  for (const auto& [part, kind] : {std::pair(&key.hash, "HASH"), std::pair(&key.range, "RANGE")}) {
    for (const table::KeyAttribute& attribute : *part) {
      out->BeginObject().Key("AttributeName").String(attribute.name);
      out->Key("KeyType").String(kind).EndObject();
    }
  }
  out->EndArray();
}

void WriteAttributeDefinitions(const std::vector<table::KeyAttribute>& attributes,
                               json::Writer* out) {
  out->Key("AttributeDefinitions").BeginArray();
  for (const table::KeyAttribute& attribute : attributes) {
    out->BeginObject().Key("AttributeName").String(attribute.name);
    out->Key("AttributeType").String(item::TypeName(attribute.type)).EndObject();
  }
  out->EndArray();
}

void WriteProjection(const table::Projection& projection, json::Writer* out) {
  out->Key("Projection").BeginObject();
  out->Key("ProjectionType").String(table::ProjectionName(projection.type));
  if (projection.type == table::ProjectionType::kInclude) {
    out->Key("NonKeyAttributes").BeginArray();
    for (const std::string& name : projection.non_key_attributes) out->String(name);
    out->EndArray();
  }
  out->EndObject();
}

std::vector<table::KeyAttribute> AttributesOf(const std::vector<const table::KeySchema*>& keys) {
  std::vector<table::KeyAttribute> attributes;
  for (const table::KeySchema* key : keys) {
    for (const auto* part : {&key->hash, &key->range}) {
      for (const table::KeyAttribute& attribute : *part) {
        if (std::find(attributes.begin(), attributes.end(), attribute) == attributes.end()) {
          attributes.push_back(attribute);
        }
      }
    }
  }
  return attributes;
}

}  // namespace monotable::wire

#include "document/openapi/components.h"

#include <fmt/format.h>

#include "text/characters.h"

namespace monotable::document {

bool Components::Add(std::string_view name, std::string_view schema) {
  const auto [at, added] = schemas_.emplace(NameOf(name), schema);
  return added || at->second == schema;
}

void Components::Write(json::Writer* out) const {
  out->BeginObject();
  for (const auto& [name, schema] : schemas_) out->Key(name).Raw(schema);
  out->EndObject();
}

std::string Components::NameOf(std::string_view name) {
  std::string made;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = text::IsAlphanumeric(c) || c == '.' || c == '-' || c == '_';
    made += plain ? std::string(1, c) : fmt::format("_{:02X}", byte);
  }
  return made;
}

void WriteReference(std::string_view name, json::Writer* out) {
  out->Key("$ref").String("#/components/schemas/" + Components::NameOf(name));
}

void WriteReferenceSchema(std::string_view name, json::Writer* out) {
  out->BeginObject();
  WriteReference(name, out);
  out->EndObject();
}

std::string CreateSchemaName(std::string_view entity) {
  return std::string(entity) + "_Create";
}

std::string ReplaceSchemaName(std::string_view entity) {
  return std::string(entity) + "_Replace";
}

std::string PatchSchemaName(std::string_view entity) {
  return std::string(entity) + "_Patch";
}

std::string ListSchemaName(std::string_view entity) {
  return std::string(entity) + "_List";
}

std::string CollectionSchemaName(std::string_view collection) {
  return std::string(collection) + "_Collection";
}

}  // namespace monotable::document

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "json/json_writer.h"
#include "model/model.h"
#include "model/openapi/components.h"
#include "model/openapi/type_schema.h"

// The schemas of entities: as they are answered, created, replaced and patched.
namespace monotable::model {

class EntitySchemas {
 public:
  EntitySchemas(const Model& model, Components* components);

  // Keeps the schemas of all entities and collections under components.
  void AddAll();
  // The body that creates an entity, without asking for what the caller gives elsewhere.
  void WriteBody(const EntityModel& entity,
                 const std::function<bool(std::string_view attribute)>& given, json::Writer* out);
  // Whether a body must name an attribute that is given elsewhere.
  bool Requires(const EntityModel& entity, std::string_view attribute) const;

  // A reference to what PUT takes: what POST takes, if the key is not asked for there either.
  void WriteReplaceReference(const EntityModel& entity, json::Writer* out);
  TypeSchemas& types() { return types_; }

 private:
  void AddEntity(const EntityModel& entity);
  void AddCollection(const CollectionModel& collection);
  std::string ResponseText(const EntityModel& entity);
  std::string PatchText(const EntityModel& entity);
  bool AsksForKey(const EntityModel& entity) const;  // whether a body must give a part of the key
  bool InKey(const EntityModel& entity, std::string_view attribute) const;

  const Model& model_;
  Components& components_;
  TypeSchemas types_;
};

// The server fills it in, and what a client says is not heeded: derived values, copies, stamps.
bool IsReadOnly(const EntityModel& entity, const AttributeModel& attribute);

// The schema of a list of something: items, next and meta.
std::string ListText(std::string_view item_schema);

}  // namespace monotable::model

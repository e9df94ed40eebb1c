#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "document/openapi/openapi_components.h"
#include "json/json_writer.h"
#include "model/model.h"

// Types of attributes as JSON Schema (2020-12).
namespace monotable::document {

// Whether an object's members are the whole object, or those that a merge patch changes.
enum class SchemaForm { kWhole, kMerge };

// Writes the schemas of types, and adds those of enums and named objects to the components.
class TypeSchemas {
 public:
  TypeSchemas(const model::Model& model, Components* components)
      : model_(model), components_(*components) {}

  // Writes the members of a type's schema, within an object that the caller opens and closes.
  void WriteMembers(const model::TypeModel& type, SchemaForm form, json::Writer* out);
  void Write(const model::TypeModel& type, SchemaForm form, json::Writer* out);
  // Writes an attribute: its type, its notes and its default. In a patch, null removes an attribute
  // that is not required. `note` follows the attribute's own description.
  struct AttributeNotes {
    bool read_only = false;
    std::string note;
  };
  void WriteAttribute(const model::AttributeModel& attribute, SchemaForm form,
                      const AttributeNotes& notes, json::Writer* out);

 private:
  void WriteEnum(const model::TypeModel& type, json::Writer* out);
  void WriteDefault(const model::AttributeModel& attribute, json::Writer* out);
  void WriteObject(const model::TypeModel& type, SchemaForm form, json::Writer* out);
  std::string ObjectText(const model::TypeModel& type, SchemaForm form);

  const model::Model& model_;
  Components& components_;
};

// The schemas of entities for answers, creates, replacements and patches.

class EntitySchemas {
 public:
  EntitySchemas(const model::Model& model, Components* components);

  // Adds the schemas of all entities and collections to the components.
  void AddAll();
  // Writes the body that creates an entity. It does not require what the caller gives elsewhere.
  void WriteBody(const model::EntityModel& entity,
                 const std::function<bool(std::string_view attribute)>& given, json::Writer* out);
  // Whether a body must name an attribute that is given elsewhere.
  bool Requires(const model::EntityModel& entity, std::string_view attribute) const;

  // Writes a reference to the body of PUT. It is the body of POST if neither requires the key.
  void WriteReplaceReference(const model::EntityModel& entity, json::Writer* out);
  TypeSchemas& types() { return types_; }

 private:
  void AddEntity(const model::EntityModel& entity);
  void AddCollection(const model::CollectionModel& collection);
  std::string ResponseText(const model::EntityModel& entity);
  std::string PatchText(const model::EntityModel& entity);
  bool AsksForKey(
      const model::EntityModel& entity) const;  // whether a body must give a part of the key
  bool InKey(const model::EntityModel& entity, std::string_view attribute) const;

  const model::Model& model_;
  Components& components_;
  TypeSchemas types_;
};

// Whether the server fills the attribute in and ignores what a client sends: derived values,
// copies, stamps.
bool IsReadOnly(const model::EntityModel& entity, const model::AttributeModel& attribute);

}  // namespace monotable::document

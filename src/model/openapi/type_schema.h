#pragma once

#include <string>
#include <string_view>

#include "json/json_writer.h"
#include "model/model.h"
#include "model/openapi/components.h"

// Types of attributes as JSON Schema (2020-12).
namespace monotable::model {

// How an object's members are meant: all of it, or those that a merge patch changes.
enum class SchemaForm { kWhole, kMerge };

// Writes the schemas of types, and keeps those of enums and named objects under components.
class TypeSchemas {
 public:
  TypeSchemas(const Model& model, Components* components)
      : model_(model), components_(*components) {}

  // The members of a type's schema, within an object that the caller opens and closes.
  void WriteMembers(const TypeModel& type, SchemaForm form, json::Writer* out);
  void Write(const TypeModel& type, SchemaForm form, json::Writer* out);
  // An attribute: its type, what there is to say about it, its default. Of a patch: null takes an
  // attribute away that is not required. `note` is put behind the attribute's own description.
  struct AttributeNotes {
    bool read_only = false;
    std::string note;
  };
  void WriteAttribute(const AttributeModel& attribute, SchemaForm form, const AttributeNotes& notes,
                      json::Writer* out);

 private:
  void WriteEnum(const TypeModel& type, json::Writer* out);
  void WriteDefault(const AttributeModel& attribute, json::Writer* out);
  void WriteObject(const TypeModel& type, SchemaForm form, json::Writer* out);
  std::string ObjectText(const TypeModel& type, SchemaForm form);

  const Model& model_;
  Components& components_;
};

// A literal of the file as JSON.
void WriteLiteral(const Node& node, json::Writer* out);

}  // namespace monotable::model

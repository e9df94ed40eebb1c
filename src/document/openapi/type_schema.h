#pragma once

#include <string>
#include <string_view>

#include "document/openapi/components.h"
#include "json/write.h"
#include "model/model.h"

// Types of attributes as JSON Schema (2020-12).
namespace monotable::document {

// How an object's members are meant: all of it, or those that a merge patch changes.
enum class SchemaForm { kWhole, kMerge };

// Writes the schemas of types, and keeps those of enums and named objects under components.
class TypeSchemas {
 public:
  TypeSchemas(const model::Model& model, Components* components)
      : model_(model), components_(*components) {}

  // The members of a type's schema, within an object that the caller opens and closes.
  void WriteMembers(const model::TypeModel& type, SchemaForm form, json::Writer* out);
  void Write(const model::TypeModel& type, SchemaForm form, json::Writer* out);
  // An attribute: its type, what there is to say about it, its default. Of a patch: null takes an
  // attribute away that is not required. `note` is put behind the attribute's own description.
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

// A literal of the file as JSON.
void WriteLiteral(const model::Node& node, json::Writer* out);

}  // namespace monotable::document

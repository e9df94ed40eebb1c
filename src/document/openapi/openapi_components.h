#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "json/json_writer.h"

namespace monotable::document {

// The schemas under components, collected while the rest of the document is written.
class Components {
 public:
  // Adds a schema under a name; false if another schema has the name.
  bool Add(std::string_view name, std::string_view schema);
  void Write(json::Writer* out) const;

  // The text as a component name, which has only ASCII letters and digits, and . - _.
  static std::string NameOf(std::string_view name);

 private:
  std::map<std::string, std::string> schemas_;
};

// Writes {"$ref": "#/components/schemas/Sale"} without the braces, so that other members can
// follow.
void WriteReference(std::string_view name, json::Writer* out);
// Writes the same as a complete schema.
void WriteReferenceSchema(std::string_view name, json::Writer* out);

// The names of the schemas of entities and collections. Schemas that are the same for every model
// begin with Api_.
std::string CreateSchemaName(std::string_view entity);          // Sale_Create
std::string ReplaceSchemaName(std::string_view entity);         // Sale_Replace
std::string PatchSchemaName(std::string_view entity);           // Sale_Patch
std::string ListSchemaName(std::string_view entity);            // Sale_List
std::string CollectionSchemaName(std::string_view collection);  // SaleFull_Collection

// The parts that are the same in the document of every model: problems, headers, parameters of
// lists.

// Adds Api_Problem, Api_ListMeta and the like under components.
void AddSharedSchemas(Components* components);

// The sections of components that are not schemas.
void WriteSharedParameters(json::Writer* out);
void WriteSharedHeaders(json::Writer* out);
void WriteSharedResponses(json::Writer* out);
void WriteSecuritySchemes(json::Writer* out);

// Writes {"$ref": …} to a shared parameter by its key.
void WriteParameterReference(std::string_view name, json::Writer* out);
// Writes "400": {"$ref": …} and the like into the responses of an operation.
void WriteProblemResponses(std::initializer_list<int> statuses, json::Writer* out);

}  // namespace monotable::document

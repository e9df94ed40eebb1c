#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "json/json_writer.h"

namespace monotable::document {

// The schemas that a document names under components, collected while the rest is written.
class Components {
 public:
  // Keeps a schema under a name; false if another one has the name.
  bool Add(std::string_view name, std::string_view schema);
  void Write(json::Writer* out) const;

  // What a name may consist of there: letters and digits of ASCII, and . - _.
  static std::string NameOf(std::string_view name);

 private:
  std::map<std::string, std::string> schemas_;
};

// {"$ref": "#/components/schemas/Sale"} without the braces, so that more can stand beside it.
void WriteReference(std::string_view name, json::Writer* out);
// The same as a schema of its own.
void WriteReferenceSchema(std::string_view name, json::Writer* out);

// The names under which the schemas of entities and collections are kept. Those that are the same
// for every model begin with Api_.
std::string CreateSchemaName(std::string_view entity);          // Sale_Create
std::string ReplaceSchemaName(std::string_view entity);         // Sale_Replace
std::string PatchSchemaName(std::string_view entity);           // Sale_Patch
std::string ListSchemaName(std::string_view entity);            // Sale_List
std::string CollectionSchemaName(std::string_view collection);  // SaleFull_Collection

// What is the same in the document of every model: problems, headers, parameters of lists.

// Keeps Api_Problem, Api_ListMeta and the like under components.
void AddSharedSchemas(Components* components);

// The sections of components that are not schemas.
void WriteSharedParameters(json::Writer* out);
void WriteSharedHeaders(json::Writer* out);
void WriteSharedResponses(json::Writer* out);
void WriteSecuritySchemes(json::Writer* out);

// {"$ref": …} to one of the shared parameters, by its key there.
void WriteParameterReference(std::string_view name, json::Writer* out);
// "400": {"$ref": …} and the like, for an operation's responses.
void WriteProblemResponses(std::initializer_list<int> statuses, json::Writer* out);

}  // namespace monotable::document

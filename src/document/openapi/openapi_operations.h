#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/openapi/openapi_schemas.h"
#include "json/json_writer.h"
#include "model/route/route.h"

// The state that the operations of a document share while it is written, and the operations
// themselves.
namespace monotable::document {

struct DocumentContext {
  const model::Model& model;
  EntitySchemas& schemas;
  std::set<std::string> operation_ids;  // those that are taken

  bool tenanted() const { return model.tenancy.has_value(); }
};

// The routes of one operation of the document, which have one method and one shape of path. There
// are several only if they are patterns that the query distinguishes.
struct OperationRoutes {
  std::vector<const model::Route*> routes;
  // The parameters of the path: the name in the path of the document, and the name in the route.
  std::vector<std::pair<std::string, std::string>> path_parameters;

  const model::Route& first() const { return *routes.front(); }
};

struct OperationHead {
  std::string id;
  std::string summary;
  std::string description;
  std::string tag;
  bool declared = false;  // the id is the author's, and unique; others give way
};
void WriteHead(const OperationHead& head, DocumentContext* context, json::Writer* out);

// The type of a parameter of a route; null if the model does not say.
const model::TypeModel* ParameterType(const model::Model& model, const model::Route& route,
                                      std::string_view name);

// A parameter with its schema. Examples are texts as in a URL.
struct ParameterText {
  std::string name;
  std::string_view in;  // path or query
  bool required = false;
  std::string description;
  std::vector<std::pair<std::string, std::string>> examples;  // name and value
};
void WriteParameter(const ParameterText& parameter, const model::TypeModel* type,
                    TypeSchemas* types, json::Writer* out);
// The collection of which the entity is the root; null if there is none.
const model::CollectionModel* CollectionOf(const model::Model& model,
                                           const model::EntityModel& entity);
// Writes the parameters that ask for members of the item's collection: expand, limit and after.
void WriteExpansion(const model::CollectionModel& collection, TypeSchemas* types,
                    json::Writer* out);
// Writes a text as a value of the type: a number stays a number.
void WriteTyped(const model::TypeModel* type, const std::string& text, json::Writer* out);

// Writes "200": {…} with a schema by its name, and with its headers.
struct AnswerText {
  int status = 200;
  std::string_view description;
  std::vector<std::string> schemas;  // one, or alternatives; none: no body
  bool tagged = false;               // ETag
  bool located = false;              // Location
};
void WriteAnswer(const AnswerText& answer, json::Writer* out);

// Writes "requestBody": {…} with the schema that `write` makes.
template <typename Write>
void WriteRequestBody(std::initializer_list<std::string_view> content_types, bool required,
                      const Write& write, json::Writer* out) {
  out->Key("requestBody").BeginObject().Key("required").Bool(required);
  out->Key("content").BeginObject();
  for (const std::string_view type : content_types) {
    out->Key(type).BeginObject().Key("schema");
    write();
    out->EndObject();
  }
  out->EndObject().EndObject();
}

// Writes an operation that the model declares, as a member of a path: "post": {…}.
void WriteDeclaredOperation(const OperationRoutes& routes, DocumentContext* context,
                            json::Writer* out);

// Writes a route of an entity (create, get, replace, change, delete, batches) or /transact, as a
// member of a path: "post": {…}.
void WriteEntityOperation(const OperationRoutes& routes, DocumentContext* context,
                          json::Writer* out);

// Writes the GET of one pattern, or of several patterns that the query distinguishes, as the member
// "get" of a path.
void WritePatternOperation(const OperationRoutes& routes, DocumentContext* context,
                           json::Writer* out);

}  // namespace monotable::document

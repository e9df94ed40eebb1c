#include "document/openapi/openapi.h"

#include <set>
#include <string>
#include <vector>

#include "document/indented_json.h"
#include "document/openapi/openapi_components.h"
#include "document/openapi/openapi_operations.h"
#include "document/openapi/openapi_schemas.h"
#include "json/json_writer.h"

namespace monotable::document {
namespace {

struct Path {
  std::string shape;
  const model::Route* first;  // gives the parameters their names
  std::vector<OperationRoutes> operations;
};

std::string ShapeOf(const model::Route& route) {
  std::string shape;
  for (const model::PathSegment& segment : route.segments) {
    shape += "/" + std::string(segment.parameter.empty() ? "" : "{}") + segment.text;
  }
  return shape;
}

Path* FindPath(const model::Route& route, std::vector<Path>* paths) {
  const std::string shape = ShapeOf(route);
  for (Path& path : *paths) {
    if (path.shape == shape) return &path;
  }
  paths->push_back({shape, &route, {}});
  return &paths->back();
}

// A pattern joins the patterns of its method. Every other route is an operation of its own.
void AddRoute(const model::Route& route, Path* path) {
  for (OperationRoutes& operation : path->operations) {
    const model::Route& other = operation.first();
    if (other.method != route.method) continue;
    // A pattern that only the query distinguishes from the route of an entity has its own route
    // under /patterns.
    if (other.pattern != nullptr && route.pattern != nullptr) operation.routes.push_back(&route);
    return;
  }
  OperationRoutes operation;
  operation.routes.push_back(&route);
  for (size_t i = 0; i < route.segments.size(); ++i) {
    if (route.segments[i].parameter.empty()) continue;
    operation.path_parameters.emplace_back(path->first->segments[i].parameter,
                                           route.segments[i].parameter);
  }
  path->operations.push_back(std::move(operation));
}

void WriteOperation(const OperationRoutes& routes, DocumentContext* context, json::Writer* out) {
  switch (routes.first().action) {
    case model::Route::Action::kPattern:
      return WritePatternOperation(routes, context, out);
    case model::Route::Action::kOperation:
      return WriteDeclaredOperation(routes, context, out);
    default:
      return WriteEntityOperation(routes, context, out);
  }
}

// Writes the paths of a document. Routes that differ only in the names of their parameters share a
// path, and patterns that only the query distinguishes share an operation.
void WritePaths(DocumentContext* context, json::Writer* out) {
  const std::vector<model::Route> routes = model::RoutesOf(context->model);
  std::vector<Path> paths;
  for (const model::Route& route : routes) AddRoute(route, FindPath(route, &paths));
  out->BeginObject();
  for (const Path& path : paths) {
    out->Key(path.first->path).BeginObject();
    for (const OperationRoutes& operation : path.operations) {
      WriteOperation(operation, context, out);
    }
    out->EndObject();
  }
  out->EndObject();
}

void WriteInfo(const model::Model& model, json::Writer* out) {
  out->Key("info").BeginObject();
  out->Key("title").String(model.title.empty() ? model.name : model.title);
  if (!model.description.empty()) out->Key("description").String(model.description);
  out->Key("version").String(model.version.empty() ? "0" : model.version);
  out->Key("x-stm-model").String(model.name).EndObject();
}

void WriteTag(std::string_view name, std::string_view description, json::Writer* out) {
  out->BeginObject().Key("name").String(name);
  if (!description.empty()) out->Key("description").String(description);
  out->EndObject();
}

void WriteTags(const model::Model& model, json::Writer* out) {
  out->Key("tags").BeginArray();
  for (const model::EntityModel& entity : model.entities) {
    std::string text = entity.title;
    if (!entity.description.empty()) text += (text.empty() ? "" : ". ") + entity.description;
    WriteTag(entity.name, text, out);
  }
  WriteTag("Patterns", "Every access pattern by its name, with all of its parameters in the query.",
           out);
  WriteTag("Transactions", "Several writes that happen together or not at all.", out);
  out->EndArray();
}

std::set<std::string> DeclaredIds(const model::Model& model) {
  std::set<std::string> ids;
  for (const model::PatternModel& pattern : model.patterns)
    ids.insert(Components::NameOf(pattern.name));
  for (const model::OperationModel& operation : model.operations) {
    ids.insert(Components::NameOf(operation.name));
  }
  return ids;
}

}  // namespace

std::string ToOpenApi(const model::Model& model, const OpenApiOptions& options) {
  Components components;
  AddSharedSchemas(&components);
  EntitySchemas schemas(model, &components);
  schemas.AddAll();

  std::string text;
  json::Writer out(&text);
  out.BeginObject().Key("openapi").String("3.1.0");
  out.Key("jsonSchemaDialect").String("https://json-schema.org/draft/2020-12/schema");
  WriteInfo(model, &out);
  out.Key("servers").BeginArray().BeginObject().Key("url");
  out.String(options.server_url.empty() ? "/api/v1/" + model.name : options.server_url);
  out.EndObject().EndArray();
  // A request needs one of the two, or neither on a server that only its own machine can reach.
  out.Key("security").Raw(R"([{},{"bearer":[]},{"sigv4":[]}])");
  WriteTags(model, &out);
  DocumentContext context{model, schemas, DeclaredIds(model)};
  out.Key("paths");
  WritePaths(&context, &out);
  out.Key("components").BeginObject().Key("schemas");
  components.Write(&out);
  out.Key("parameters");
  WriteSharedParameters(&out);
  out.Key("headers");
  WriteSharedHeaders(&out);
  out.Key("responses");
  WriteSharedResponses(&out);
  out.Key("securitySchemes");
  WriteSecuritySchemes(&out);
  out.EndObject().EndObject();
  return Indented(text) + "\n";
}

}  // namespace monotable::document

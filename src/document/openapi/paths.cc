#include "document/openapi/paths.h"

#include <string>
#include <vector>

#include "document/openapi/declared_operation.h"
#include "document/openapi/entity_operation.h"
#include "document/openapi/pattern_operation.h"

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

// A pattern joins those of its method that are there; everything else is alone.
void AddRoute(const model::Route& route, Path* path) {
  for (OperationRoutes& operation : path->operations) {
    const model::Route& other = operation.first();
    if (other.method != route.method) continue;
    // One that the query tells apart from the route of an entity has its own under /patterns.
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

}  // namespace

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

}  // namespace monotable::document

#include "model/route/route.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "model/plan/read_plan.h"

namespace monotable::model {
namespace {

using Action = Route::Action;

void AddMissing(const std::vector<std::string>& names, std::vector<std::string>* to) {
  for (const std::string& name : names) {
    if (std::find(to->begin(), to->end(), name) == to->end()) to->push_back(name);
  }
}

std::vector<std::string> KeyAttributes(const EntityModel& entity) {
  std::vector<std::string> names;
  for (const KeyModel::Part& part : entity.primary().parts) {
    AddMissing(part.text.attributes(), &names);
  }
  return names;
}

PathSegment ParseSegment(std::string_view text) {
  const size_t end = text.starts_with('{') ? text.find('}') : std::string_view::npos;
  if (end == std::string_view::npos) return {"", std::string(text)};
  return {std::string(text.substr(1, end - 1)), std::string(text.substr(end + 1))};
}

std::vector<PathSegment> ParseSegments(std::string_view path) {
  std::vector<PathSegment> segments;
  while (path.starts_with('/')) {
    path.remove_prefix(1);
    const size_t end = std::min(path.find('/'), path.size());
    segments.push_back(ParseSegment(path.substr(0, end)));
    path.remove_prefix(end);
  }
  return segments;
}

// The names in from=&to=.
std::vector<std::string> ParseQuery(std::string_view query) {
  std::vector<std::string> names;
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view each = query.substr(0, end);
    if (!each.empty()) names.emplace_back(each.substr(0, each.find('=')));
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return names;
}

Route MakeRoute(std::string method, std::string path, Action action) {
  Route route;
  route.method = std::move(method);
  route.segments = ParseSegments(path);
  route.path = std::move(path);
  route.action = action;
  return route;
}

Route DeclaredRoute(const std::string& method, const std::string& declared, Action action) {
  const size_t mark = std::min(declared.find('?'), declared.size());
  Route route = MakeRoute(method, declared.substr(0, mark), action);
  route.query = ParseQuery(std::string_view(declared).substr(std::min(mark + 1, declared.size())));
  return route;
}

void AppendKey(const std::vector<std::string>& names, size_t from, std::string* path) {
  for (size_t i = from; i < names.size(); ++i) *path += "/{" + names[i] + "}";
}

// Where an entity's items are: /sales, /sales/{SaleId}/lines, /sales/{SaleId}/invoice. Empty if it
// or one of its parents has no path.
std::string CollectionPath(const Model& model, const EntityModel& entity) {
  if (entity.path.empty()) return "";
  if (entity.parent.empty()) return "/" + entity.path;
  const EntityModel* parent = model.FindEntity(entity.parent);
  if (parent == nullptr) return "";
  std::string path = ItemPath(model, *parent);
  return path.empty() ? "" : path + "/" + entity.path;
}

bool IsOnly(const EntityModel& entity) {
  return !entity.parent.empty() && entity.cardinality == Cardinality::kOne;
}

void AddEntityRoutes(const Model& model, const EntityModel& entity, std::vector<Route>* routes) {
  const std::string collection = CollectionPath(model, entity);
  if (collection.empty()) return;
  const std::string item = ItemPath(model, entity);
  const auto add = [&](std::string method, const std::string& path, Action action) {
    Route route = MakeRoute(std::move(method), path, action);
    route.entity = &entity;
    routes->push_back(std::move(route));
  };
  add("POST", collection, Action::kCreate);
  add("GET", item, Action::kGet);
  add("PUT", item, Action::kReplace);
  add("PATCH", item, Action::kPatch);
  add("DELETE", item, Action::kDelete);
  if (IsOnly(entity)) return;
  add("POST", collection + ":batchGet", Action::kBatchGet);
  add("POST", collection + ":batchWrite", Action::kBatchWrite);
}

void AddPatternRoutes(const Model& model, const PatternModel& pattern, std::vector<Route>* routes) {
  if (pattern.expected_unserved) return;
  if (PlanPattern(model, pattern).verdict == Verdict::kNotServed) return;
  const auto add = [&](Route route) {
    route.entity = model.FindEntity(pattern.entity);
    route.pattern = &pattern;
    routes->push_back(std::move(route));
  };
  if (!pattern.route.empty()) {
    add(DeclaredRoute(pattern.method, pattern.route, Action::kPattern));
  }
  add(MakeRoute("GET", "/patterns/" + pattern.name, Action::kPattern));
}

void AddOperationRoute(const OperationModel& operation, std::vector<Route>* routes) {
  if (operation.route.empty()) return;
  Route route = DeclaredRoute(operation.method, operation.route, Action::kOperation);
  route.operation = &operation;
  routes->push_back(std::move(route));
}

bool IsDeclared(const Route& route) {
  if (route.operation != nullptr) return true;
  return route.pattern != nullptr && route.path != "/patterns/" + route.pattern->name;
}

// Whether the method and path of a request cannot distinguish the two routes.
bool SameShape(const Route& a, const Route& b) {
  return a.method == b.method &&
         std::equal(a.segments.begin(), a.segments.end(), b.segments.begin(), b.segments.end(),
                    [](const PathSegment& one, const PathSegment& other) {
                      return one.parameter.empty() == other.parameter.empty() &&
                             one.text == other.text;
                    });
}

}  // namespace

std::vector<std::string> RouteKey(const Model& model, const EntityModel& entity) {
  std::vector<std::string> names;
  if (!entity.parent.empty()) {
    if (const EntityModel* parent = model.FindEntity(entity.parent); parent != nullptr) {
      names = RouteKey(model, *parent);
    }
    if (entity.cardinality == Cardinality::kOne) return names;
  }
  std::vector<std::string> own = KeyAttributes(entity);
  if (model.tenancy && own.size() > 1) std::erase(own, model.tenancy->attribute);
  AddMissing(own, &names);
  return names;
}

std::string ItemPath(const Model& model, const EntityModel& entity) {
  std::string path = CollectionPath(model, entity);
  if (path.empty() || IsOnly(entity)) return path;
  size_t inherited = 0;
  if (!entity.parent.empty()) {
    inherited = RouteKey(model, *model.FindEntity(entity.parent)).size();
  }
  AppendKey(RouteKey(model, entity), inherited, &path);
  return path;
}

std::vector<Route> RoutesOf(const Model& model) {
  std::vector<Route> routes;
  for (const EntityModel& entity : model.entities) AddEntityRoutes(model, entity, &routes);
  for (const PatternModel& pattern : model.patterns) AddPatternRoutes(model, pattern, &routes);
  for (const OperationModel& operation : model.operations) AddOperationRoute(operation, &routes);
  routes.push_back(MakeRoute("POST", "/transact", Action::kTransact));

  std::vector<Route> declared;
  std::copy_if(routes.begin(), routes.end(), std::back_inserter(declared),
               [](const Route& route) { return IsDeclared(route) && route.query.empty(); });
  std::erase_if(routes, [&](const Route& route) {
    return !IsDeclared(route) &&
           std::any_of(declared.begin(), declared.end(),
                       [&](const Route& other) { return SameShape(route, other); });
  });
  return routes;
}

}  // namespace monotable::model

#pragma once

#include <string>
#include <vector>

#include "model/model.h"

// The REST routes of a model: the routes of its entities, which follow from their keys, and the
// routes that its patterns and operations declare. The server and the OpenAPI document both use
// them.
namespace monotable::model {

// One part of a path between slashes: text, or a parameter with text after it ({BuyerId}:rename).
struct PathSegment {
  std::string parameter;  // empty: only text
  std::string text;       // the segment, or what follows the parameter
  friend bool operator==(const PathSegment&, const PathSegment&) = default;
};

struct Route {
  enum class Action {
    kCreate,      // POST /sales
    kGet,         // GET /sales/{SaleId}
    kReplace,     // PUT: creates or replaces
    kPatch,       // PATCH: JSON merge patch
    kDelete,      // DELETE
    kPattern,     // GET, as a pattern declares it, and GET /patterns/{name}
    kOperation,   // as an operation declares it
    kBatchGet,    // POST /sales:batchGet
    kBatchWrite,  // POST /sales:batchWrite
    kTransact,    // POST /transact
  };

  std::string method;
  std::string path;  // /sales/{SaleId}, without the query
  std::vector<PathSegment> segments;
  std::vector<std::string> query;  // parameters that must be given for this route to be meant
  Action action = Action::kGet;
  // The subject of the route; null where it does not apply. The pointers point into the model.
  const EntityModel* entity = nullptr;
  const PatternModel* pattern = nullptr;
  const OperationModel* operation = nullptr;
};

// The attributes that name one item of an entity in its route: those of its primary key, with the
// parents' attributes first. The tenant, which the caller's identity gives, is left out unless it
// is the only attribute. A child with `cardinality: one` is named by its parent alone.
std::vector<std::string> RouteKey(const Model& model, const EntityModel& entity);

// The path of one item of an entity: /sales/{SaleId}/lines/{LineNumber}. Empty if the entity or one
// of its parents has no path, so that it has no routes.
std::string ItemPath(const Model& model, const EntityModel& entity);

// All routes, in the order of the file: entities, patterns, operations, /transact. A declared route
// of a pattern or an operation replaces the route of an entity with the same method and shape of
// path, unless the declared route needs query parameters.
std::vector<Route> RoutesOf(const Model& model);

}  // namespace monotable::model

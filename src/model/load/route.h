#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "model/load/context.h"
#include "model/load/reader.h"

namespace monotable::model {

// Reads route: GET /buyers/{BuyerId}/sales?from=&to= of a pattern or an operation. The parameters
// in braces must be known; no two routes may be the same but for the names of their parameters.
// Nothing is changed if there is no route.
struct RouteTarget {
  std::string* method;
  std::string* route;
  bool reads = true;  // patterns are read with GET, operations are never
  std::function<bool(std::string_view name)> is_parameter;
};
void ReadRoute(MapReader* reader, const RouteTarget& target, LoadContext* context);

}  // namespace monotable::model

#include "model/load/route.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <vector>

namespace monotable::model {
namespace {

bool IsPathCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("/-_.:~?&=").find(c) != std::string_view::npos;
}

// The names in braces, and the route without them; false if it is no route.
bool TakeApart(std::string_view route, std::vector<std::string>* parameters, std::string* shape) {
  if (!route.starts_with("/")) return false;
  for (size_t at = 0; at < route.size(); ++at) {
    if (route[at] != '{') {
      if (!IsPathCharacter(route[at])) return false;
      *shape += route[at];
      continue;
    }
    const size_t end = route.find('}', at);
    if (end == std::string_view::npos || end == at + 1) return false;
    parameters->emplace_back(route.substr(at + 1, end - at - 1));
    *shape += "{}";
    at = end;
  }
  return true;
}

}  // namespace

void ReadRoute(MapReader* reader, const RouteTarget& target, LoadContext* context) {
  const Node* node = reader->FindText("route");
  if (node == nullptr) return;
  const std::string subject = reader->SubjectOf("route");
  const size_t space = node->text.find(' ');
  const std::string method = node->text.substr(0, space);
  const std::string route = space == std::string::npos ? "" : node->text.substr(space + 1);
  const std::vector<std::string> methods =
      target.reads ? std::vector<std::string>{"GET"}
                   : std::vector<std::string>{"POST", "PUT", "PATCH", "DELETE"};
  std::vector<std::string> parameters;
  std::string shape = method + " ";
  if (std::find(methods.begin(), methods.end(), method) == methods.end() ||
      !TakeApart(route, &parameters, &shape)) {
    context->Error("bad_route", node->place, subject, Quoted(node->text) + " is no route for this.",
                   target.reads ? "Write for example GET /buyers/{BuyerId}/sales."
                                : "Write POST, PUT, PATCH or DELETE and a path.");
    return;
  }
  for (const std::string& name : parameters) {
    if (target.is_parameter(name)) continue;
    context->Error("unknown_route_parameter", node->place, subject,
                   Quoted(name) + " in the route is nothing that a caller could give.",
                   "Name an attribute or an input.");
  }
  if (!context->routes.insert(shape).second) {
    context->Error("duplicate_route", node->place, subject,
                   Quoted(node->text) + " is the route of something else already.",
                   "Choose another path, or other query parameters.");
  }
  *target.method = method;
  *target.route = route;
}

}  // namespace monotable::model

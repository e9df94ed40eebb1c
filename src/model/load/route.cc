#include "model/load/route.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <re2/re2.h>

namespace monotable::model {
namespace {

// A parameter begins its segment, so that nobody has to guess where it ends; what must be in the
// query is only named: /sales/{SaleId}:revise, /sales?from=&to=.
bool IsRoute(std::string_view text) {
  static const RE2 kRoute(R"((/([\w.~:-]+|\{[^{}/?]+\}[\w.~:-]*))+(\?[\w.~-]+=?(&[\w.~-]+=?)*)?)");
  return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), kRoute);
}

// The names in braces and in the query, and the route without those in braces.
void TakeApart(std::string_view route, std::vector<std::string>* parameters, std::string* shape) {
  const size_t mark = std::min(route.find('?'), route.size());
  for (size_t at = 0; at < mark; ++at) {
    *shape += route[at];
    if (route[at] != '{') continue;
    const size_t end = route.find('}', at);
    parameters->emplace_back(route.substr(at + 1, end - at - 1));
    at = end - 1;
  }
  *shape += route.substr(mark);
  for (size_t at = mark; at < route.size();) {
    const size_t end = std::min(route.find('&', at + 1), route.size());
    const std::string_view each = route.substr(at + 1, end - at - 1);
    parameters->emplace_back(each.substr(0, each.find('=')));
    at = end;
  }
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
  if (std::find(methods.begin(), methods.end(), method) == methods.end() || !IsRoute(route)) {
    context->Error("bad_route", node->place, subject, Quoted(node->text) + " is no route for this.",
                   target.reads ? "Write for example GET /buyers/{BuyerId}/sales."
                                : "Write POST, PUT, PATCH or DELETE and a path.");
    return;
  }
  TakeApart(route, &parameters, &shape);
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

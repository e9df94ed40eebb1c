#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"
#include "model/route/route.h"

namespace monotable::api::rest {

struct QueryParameter {
  std::string name;
  std::string value;
};
using QueryParameters = std::vector<QueryParameter>;  // in the order of the request

// The part of a target before the question mark, and the part behind it.
std::string_view PathOf(std::string_view target);
std::string_view QueryOf(std::string_view target);

// Text without its percent escapes. Nothing if an escape is broken or the text is not UTF-8.
std::optional<std::string> PercentDecode(std::string_view text);

// The parameters of a query, in which a plus is a blank. Refuses broken escapes.
Result<QueryParameters> ParseQuery(std::string_view query);

// The value of a parameter that may be given once; null if it is not given.
const std::string* FindParameter(const QueryParameters& query, std::string_view name);

// A parameter of a path: its name, as the route has it, and its text without escapes.
struct PathValue {
  std::string_view name;
  std::string text;
};

struct RouteMatch {
  enum class Outcome {
    kFound,
    kUnknownPath,
    kWrongMethod,      // the path exists, but not for this method
    kNoAccessPattern,  // a list that no pattern answers with these parameters
  };
  Outcome outcome = Outcome::kUnknownPath;
  const model::Route* route = nullptr;    // of kFound
  std::vector<PathValue> values;          // of kFound
  std::vector<const model::Route*> here;  // otherwise: the routes of this path
};

// Finds the route of a request: a tree of path segments, in which text is tried before a parameter
// with text behind it ({SaleId}:revise), and that before a parameter. Immutable and thread-safe.
class Router {
 public:
  explicit Router(std::vector<model::Route> routes);

  // The path is as it was sent, so that an escaped slash is part of a segment. Refuses a path whose
  // escapes are broken. HEAD is looked up as GET.
  Result<RouteMatch> Find(std::string_view method, std::string_view path,
                          const QueryParameters& query) const;
  // The route that the sender of this path most likely meant: /sales/{SaleId}.
  std::optional<std::string> SuggestPath(std::string_view path) const;
  const std::vector<model::Route>& routes() const { return routes_; }

 private:
  // No route is longer.
  static constexpr size_t kMaxSegments = 16;
  struct Segments {
    std::array<std::string_view, kMaxSegments> raw;
    size_t count = 0;
  };
  struct Node {
    std::map<std::string, std::unique_ptr<Node>, std::less<>> texts;
    std::vector<std::pair<std::string, std::unique_ptr<Node>>> suffixes;  // longest first
    std::unique_ptr<Node> parameter;
    std::vector<const model::Route*> routes;
  };

  static bool Split(std::string_view path, Segments* segments);
  void Add(const model::Route& route);
  // How many texts of a route the path, which is as long, spells differently. Nothing if one of
  // them is another word.
  static std::optional<size_t> TextsThatDiffer(const model::Route& route, const Segments& segments);
  // Calls visit(node) for the nodes of a path, the most specific first, until it returns true.
  template <typename Visit>
  static bool Walk(const Node& node, const Segments& segments, size_t at, const Visit& visit);

  const std::vector<model::Route> routes_;
  Node root_;
};

// GET, POST: the methods of these routes for an Allow header, with HEAD and OPTIONS.
std::string AllowedMethods(const std::vector<const model::Route*>& routes);

}  // namespace monotable::api::rest

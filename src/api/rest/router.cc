#include "api/rest/router.h"

#include <algorithm>
#include <utility>

#include "entities/problem.h"
#include "error/suggestion.h"
#include "json/parse.h"
#include "text/characters.h"

namespace monotable::api::rest {
namespace {

bool IsGiven(const QueryParameters& query, std::string_view name) {
  return FindParameter(query, name) != nullptr;
}

// How many of the given parameters the keys of a route take; nothing if one that it needs is
// missing. What the keys do not take can still be a filter.
std::optional<size_t> ParametersTaken(const model::Route& route, const QueryParameters& query) {
  size_t taken = 0;
  for (const std::string& name : route.query) {
    if (!IsGiven(query, name)) return std::nullopt;
    ++taken;
  }
  if (route.pattern == nullptr || !route.pattern->range) return taken;
  for (const std::string_view bound : {"from", "to"}) {
    const bool counted =
        std::find(route.query.begin(), route.query.end(), bound) != route.query.end();
    if (!counted && IsGiven(query, bound)) ++taken;
  }
  return taken;
}

// Of several patterns on one path the one whose keys take most of the parameters is meant.
const model::Route* Choose(const std::vector<const model::Route*>& routes, std::string_view method,
                           const QueryParameters& query) {
  const model::Route* best = nullptr;
  size_t most = 0;
  for (const model::Route* route : routes) {
    if (route->method != method) continue;
    const auto taken = ParametersTaken(*route, query);
    if (!taken || (best != nullptr && *taken <= most)) continue;
    best = route;
    most = *taken;
  }
  return best;
}

// Whether a GET of this path means a list: things are created there, or some patterns list them.
bool IsList(const std::vector<const model::Route*>& routes) {
  return std::any_of(routes.begin(), routes.end(), [](const model::Route* route) {
    return route->action == model::Route::Action::kCreate || route->method == "GET";
  });
}

Error BrokenPath() {
  return entities::InvalidFields(
      {{"path", "encoding",
        "The path is not percent-encoded UTF-8: a % is followed by two hexadecimal digits."}});
}

}  // namespace

Router::Router(std::vector<model::Route> routes) : routes_(std::move(routes)) {
  for (const model::Route& route : routes_) Add(route);
}

void Router::Add(const model::Route& route) {
  Node* node = &root_;
  for (const model::PathSegment& segment : route.segments) {
    std::unique_ptr<Node>* next = nullptr;
    if (segment.parameter.empty()) {
      next = &node->texts[segment.text];
    } else if (segment.text.empty()) {
      next = &node->parameter;
    } else {
      auto& suffixes = node->suffixes;
      const auto at = std::find_if(suffixes.begin(), suffixes.end(), [&](const auto& suffix) {
        return suffix.first.size() < segment.text.size() || suffix.first == segment.text;
      });
      const bool known = at != suffixes.end() && at->first == segment.text;
      next = &(known ? at : suffixes.emplace(at, segment.text, nullptr))->second;
    }
    if (!*next) *next = std::make_unique<Node>();
    node = next->get();
  }
  node->routes.push_back(&route);
}

bool Router::Split(std::string_view path, Segments* segments) {
  while (path.starts_with('/')) {
    path.remove_prefix(1);
    if (segments->count == kMaxSegments) return false;
    const std::string_view segment = path.substr(0, path.find('/'));
    if (segment.empty()) return false;
    segments->raw[segments->count++] = segment;
    path.remove_prefix(segment.size());
  }
  return path.empty();
}

template <typename Visit>
bool Router::Walk(const Node& node, const Segments& segments, size_t at, const Visit& visit) {
  if (at == segments.count) return !node.routes.empty() && visit(node);
  const std::string_view raw = segments.raw[at];
  auto text = node.texts.find(raw);
  if (text == node.texts.end() && raw.find('%') != std::string_view::npos) {
    // Some clients escape the colon of a verb.
    if (const auto decoded = PercentDecode(raw)) text = node.texts.find(*decoded);
  }
  if (text != node.texts.end() && Walk(*text->second, segments, at + 1, visit)) return true;
  for (const auto& [suffix, next] : node.suffixes) {
    const bool fits = raw.size() > suffix.size() && raw.ends_with(suffix);
    if (fits && Walk(*next, segments, at + 1, visit)) return true;
  }
  return node.parameter && Walk(*node.parameter, segments, at + 1, visit);
}

Result<RouteMatch> Router::Find(std::string_view method, std::string_view path,
                                const QueryParameters& query) const {
  RouteMatch match;
  Segments segments;
  if (!Split(path, &segments)) return match;
  if (method == "HEAD") method = "GET";
  Walk(root_, segments, 0, [&](const Node& node) {
    match.route = Choose(node.routes, method, query);
    if (match.route != nullptr) return true;
    match.here.insert(match.here.end(), node.routes.begin(), node.routes.end());
    return false;
  });
  if (match.route == nullptr) {
    if (match.here.empty()) return match;
    match.outcome = method == "GET" && IsList(match.here) ? RouteMatch::Outcome::kNoAccessPattern
                                                          : RouteMatch::Outcome::kWrongMethod;
    return match;
  }
  match.outcome = RouteMatch::Outcome::kFound;
  match.here.clear();
  for (size_t i = 0; i < segments.count; ++i) {
    const model::PathSegment& segment = match.route->segments[i];
    if (segment.parameter.empty()) continue;
    std::string_view raw = segments.raw[i];
    raw.remove_suffix(segment.text.size());
    auto decoded = PercentDecode(raw);
    if (!decoded) return BrokenPath();
    match.values.push_back({segment.parameter, *std::move(decoded)});
  }
  return match;
}

std::optional<std::string> Router::SuggestPath(std::string_view path) const {
  Segments segments;
  if (!Split(path, &segments)) return std::nullopt;
  // A parameter may be anything; every text must be what was sent or near it.
  const model::Route* nearest = nullptr;
  size_t fewest = 0;
  for (const model::Route& route : routes_) {
    if (route.segments.size() != segments.count) continue;
    const auto differing = TextsThatDiffer(route, segments);
    if (!differing || (nearest != nullptr && *differing >= fewest)) continue;
    nearest = &route;
    fewest = *differing;
  }
  if (nearest == nullptr) return std::nullopt;
  return nearest->path;
}

std::optional<size_t> Router::TextsThatDiffer(const model::Route& route, const Segments& segments) {
  size_t differing = 0;
  for (size_t i = 0; i < segments.count; ++i) {
    const model::PathSegment& segment = route.segments[i];
    if (!segment.parameter.empty() || segment.text == segments.raw[i]) continue;
    const std::string_view text = segment.text;
    if (!Suggest(segments.raw[i], {&text, 1})) return std::nullopt;
    ++differing;
  }
  return differing;
}

std::string AllowedMethods(const std::vector<const model::Route*>& routes) {
  const auto has = [&](std::string_view method) {
    if (method == "HEAD") method = "GET";
    return method == "OPTIONS" ||
           std::any_of(routes.begin(), routes.end(),
                       [&](const model::Route* route) { return route->method == method; });
  };
  std::string text;
  for (const std::string_view method :
       {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
    if (!has(method)) continue;
    if (!text.empty()) text.append(", ");
    text.append(method);
  }
  return text;
}

namespace {

bool Decode(std::string_view text, bool plus_is_blank, std::string* out) {
  out->reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      out->push_back(' ');
    } else if (text[i] != '%') {
      out->push_back(text[i]);
    } else {
      if (i + 2 >= text.size()) return false;
      const int high = text::HexDigit(text[i + 1]);
      const int low = text::HexDigit(text[i + 2]);
      if (high < 0 || low < 0) return false;
      out->push_back(static_cast<char>(high * 16 + low));
      i += 2;
    }
  }
  return json::IsUtf8(*out);
}

}  // namespace

std::string_view PathOf(std::string_view target) {
  return target.substr(0, target.find('?'));
}

std::string_view QueryOf(std::string_view target) {
  const size_t mark = target.find('?');
  return mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
}

std::optional<std::string> PercentDecode(std::string_view text) {
  std::string decoded;
  if (!Decode(text, false, &decoded)) return std::nullopt;
  return decoded;
}

Result<QueryParameters> ParseQuery(std::string_view query) {
  QueryParameters parameters;
  while (!query.empty()) {
    const size_t end = query.find('&');
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    if (pair.empty()) continue;
    const size_t equals = pair.find('=');
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    QueryParameter parameter;
    if (!Decode(pair.substr(0, equals), true, &parameter.name) ||
        !Decode(value, true, &parameter.value)) {
      return entities::InvalidFields(
          {{std::string(pair.substr(0, equals)), "encoding",
            "The query is not percent-encoded UTF-8: a % is followed by two hexadecimal digits."}});
    }
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

const std::string* FindParameter(const QueryParameters& query, std::string_view name) {
  for (const QueryParameter& parameter : query) {
    if (parameter.name == name) return &parameter.value;
  }
  return nullptr;
}

}  // namespace monotable::api::rest

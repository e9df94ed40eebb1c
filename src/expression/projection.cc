#include "expression/projection.h"

#include <unordered_set>

#include "expression/expression_parser.h"
#include "expression/parse_cache.h"
#include "expression/substitutions.h"

namespace monotable::expression {
namespace {

constexpr std::string_view kProjectionParameter = "ProjectionExpression";

// Document paths separated by commas.
class ProjectionParser : public Parser {
 public:
  explicit ProjectionParser(std::string_view text) : Parser(kProjectionParameter, text, {}) {}

  Result<References> Parse() {
    TRY(Start());
    do {
      TRY(ParsePath());
    } while (Accept(TokenKind::kComma));
    TRY(Finish());
    return TakeReferences();
  }
};

}  // namespace

Result<BoundProjection> ParseProjection(std::string_view text, Substitutions& substitutions) {
  thread_local ParseCache<References> cache;
  TRY_ASSIGN(auto parsed, cache.FindOrParse(text, [&] { return ProjectionParser(text).Parse(); }));
  TRY_ASSIGN(const Binding binding, Bind(*parsed, kProjectionParameter, substitutions));
  std::vector<Path> paths;
  paths.reserve(parsed->paths.size());
  for (uint32_t slot = 0; slot < parsed->paths.size(); ++slot) {
    paths.push_back(binding.path(*parsed, slot));
  }
  TRY_ASSIGN(PathTree tree, PathTree::Merge(paths, kProjectionParameter));
  return BoundProjection(std::move(parsed), std::move(tree));
}

Result<BoundProjection> ProjectionFromAttributesToGet(std::vector<std::string> names) {
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) {
      return Error::Validation(
          "One or more parameter values were invalid: Duplicate value in attribute name: " + name);
    }
  }
  const auto kept = std::make_shared<const std::vector<std::string>>(std::move(names));
  std::vector<PathElement> elements;
  elements.reserve(kept->size());
  std::vector<Path> paths;
  for (const std::string& name : *kept) {
    elements.push_back({name, std::nullopt});
    paths.push_back(Path(&elements.back(), 1));
  }
  TRY_ASSIGN(PathTree tree, PathTree::Merge(paths, "AttributesToGet"));
  return BoundProjection(kept, std::move(tree));
}

}  // namespace monotable::expression

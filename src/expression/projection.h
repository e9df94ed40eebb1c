#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "error/result.h"
#include "expression/path.h"
#include "expression/substitutions.h"
#include "item/value.h"

namespace monotable::expression {

// A projection ready to be applied to items. Immutable, so any number of threads may share one;
// it must not outlive the Substitutions it was bound with.
class BoundProjection {
 public:
  // `names` keeps alive what the tree's names point at, as far as Substitutions do not.
  BoundProjection(std::shared_ptr<const void> names, PathTree tree)
      : names_(std::move(names)), tree_(std::move(tree)) {}

  item::Item Apply(const item::Item& item) const { return tree_.Project(item); }

  // The top-level attributes it reads, each once, sorted.
  std::vector<std::string_view> TopLevelNames() const { return tree_.TopLevelNames(); }
  // Those top-level attributes of which it reads only parts.
  std::vector<std::string_view> NestedNames() const { return tree_.NestedNames(); }

 private:
  std::shared_ptr<const void> names_;
  PathTree tree_;
};

// Parses (or finds in this thread's cache) and binds a ProjectionExpression.
Result<BoundProjection> ParseProjection(std::string_view text, Substitutions& substitutions);

// The legacy AttributesToGet: top-level names, taken literally.
Result<BoundProjection> ProjectionFromAttributesToGet(std::vector<std::string> names);

}  // namespace monotable::expression

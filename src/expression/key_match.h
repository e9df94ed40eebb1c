#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "error/result.h"
#include "expression/key_condition.h"
#include "item/value.h"
#include "table/definition.h"

namespace monotable::expression {

// One condition on one attribute, before it is known what that attribute is to the key.
struct KeyTerm {
  std::string_view attribute;
  std::optional<RangeBound::Op> inequality;  // none: the attribute equals `first`
  const item::Value* first = nullptr;
  const item::Value* second = nullptr;  // the upper bound of kBetween
};

// A KeyConditionExpression with the names and values of a request. What can be wrong with it
// whatever the key has been found; the terms wait for a key. It must not outlive the
// Substitutions it was bound with.
struct BoundKeyCondition {
  std::vector<KeyTerm> terms;
  std::shared_ptr<const void> parsed;  // keeps the names of the terms alive
};

Result<BoundKeyCondition> BindKeyCondition(std::string_view text, Substitutions& substitutions);

// Matches conditions, at most one per attribute, with a key: equality on every hash attribute,
// and on the range attributes from left to right equalities and then at most one inequality.
Result<KeyCondition> MatchKey(const std::vector<KeyTerm>& terms, const table::KeySchema& schema,
                              const KeyConditionOptions& options);

}  // namespace monotable::expression

#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "error/result.h"
#include "expression/substitutions.h"
#include "item/value.h"
#include "table/definition.h"

namespace monotable::expression {

// An inequality on one range attribute.
struct RangeBound {
  enum class Op { kLess, kLessEqual, kGreater, kGreaterEqual, kBetween, kBeginsWith };

  Op op = Op::kLess;
  item::Value first;
  std::optional<item::Value> second;  // the upper bound of kBetween
};

// What a Query reads: one partition, and a contiguous part of it.
struct KeyCondition {
  std::vector<item::Value> hash;         // in the order of the schema's hash attributes
  std::vector<item::Value> range_equal;  // of the leading range attributes
  std::optional<RangeBound> range;       // on the range attribute after those
};

struct KeyConditionOptions {
  // Whether begins_with(sk, "") is taken as matching everything, although an empty string cannot
  // be a key.
  bool accept_empty_begins_with = true;
};

// One condition on one attribute, before it is known which part of the key that attribute is.
struct KeyTerm {
  std::string_view attribute;
  std::optional<RangeBound::Op> inequality;  // none: the attribute equals `first`
  const item::Value* first = nullptr;
  const item::Value* second = nullptr;  // the upper bound of kBetween
};

// A KeyConditionExpression with the names and values of a request. Its mistakes that do not depend
// on the key have been found; the terms wait to be matched with a key. It must not outlive the
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

// Parses (or finds in this thread's cache) a KeyConditionExpression and matches it with the key
// of the table or index that is queried.
Result<KeyCondition> ParseKeyCondition(std::string_view text, Substitutions& substitutions,
                                       const table::KeySchema& schema,
                                       const KeyConditionOptions& options = {});

}  // namespace monotable::expression

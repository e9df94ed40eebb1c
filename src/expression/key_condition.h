#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "error/result.h"
#include "expression/legacy.h"
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
  // Whether begins_with(sk, "") is taken as matching everything, although an empty string can not
  // be a key.
  bool accept_empty_begins_with = true;
};

// Parses (or finds in this thread's cache) a KeyConditionExpression and matches it with the key
// of the table or index that is queried.
Result<KeyCondition> ParseKeyCondition(std::string_view text, Substitutions& substitutions,
                                       const table::KeySchema& schema,
                                       const KeyConditionOptions& options = {});

// The same from the legacy KeyConditions.
Result<KeyCondition> KeyConditionFromLegacy(const LegacyConditions& conditions,
                                            const table::KeySchema& schema,
                                            const KeyConditionOptions& options = {});

}  // namespace monotable::expression

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "item/value.h"

// The parameters that expressions replaced in 2014 and that the service still takes: Expected,
// AttributeUpdates, KeyConditions, QueryFilter, ScanFilter.
namespace monotable::expression {

enum class ComparisonOperator {
  kEq,
  kNe,
  kLe,
  kLt,
  kGe,
  kGt,
  kNotNull,
  kNull,
  kContains,
  kNotContains,
  kBeginsWith,
  kIn,
  kBetween
};

enum class ConditionalOperator { kAnd, kOr };

// One entry of KeyConditions, QueryFilter or ScanFilter.
struct LegacyCondition {
  ComparisonOperator comparison = ComparisonOperator::kEq;
  std::vector<item::Value> values;
};

// One entry of Expected: either value/exists or comparison/values.
struct LegacyExpected {
  std::optional<item::Value> value;
  std::optional<bool> exists;
  std::optional<ComparisonOperator> comparison;
  std::optional<std::vector<item::Value>> values;
};

enum class LegacyAction { kPut, kAdd, kDelete };

// One entry of AttributeUpdates.
struct LegacyUpdate {
  std::optional<item::Value> value;
  LegacyAction action = LegacyAction::kPut;
};

using LegacyConditions = std::map<std::string, LegacyCondition>;
using LegacyExpectations = std::map<std::string, LegacyExpected>;
using LegacyUpdates = std::map<std::string, LegacyUpdate>;

}  // namespace monotable::expression

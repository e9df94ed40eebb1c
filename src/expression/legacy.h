#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "error/result.h"
#include "expression/condition.h"
#include "expression/key_condition.h"
#include "expression/update.h"
#include "item/value.h"
#include "table/definition.h"

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

// The rules of ConditionalOperator: it needs a filter or Expected (`conditions` is the number of
// entries, 0 if the parameter is absent), with at least two entries.
Status CheckConditionalOperator(std::optional<ConditionalOperator> conditional_operator,
                                size_t conditions);

// Makes a condition from Expected that owns its names and values. The conditional operator defaults
// to AND. Without any entry the condition is always true.
Result<BoundCondition> ConditionFromExpected(
    LegacyExpectations expected, std::optional<ConditionalOperator> conditional_operator);
// The same from QueryFilter or ScanFilter.
Result<BoundCondition> ConditionFromFilter(LegacyConditions filter,
                                           std::optional<ConditionalOperator> conditional_operator);

// Checks the number and types of a legacy operator's arguments; KeyConditions has the same rules.
Status CheckArguments(ComparisonOperator comparison, const std::vector<item::Value>& values);

// "EQ", "NOT_CONTAINS", … as the wire writes them.
std::string_view OperatorName(ComparisonOperator comparison);

// What KeyConditions asks for, matched with the key of the table or index that is queried.
Result<KeyCondition> KeyConditionFromLegacy(const LegacyConditions& conditions,
                                            const table::KeySchema& schema,
                                            const KeyConditionOptions& options = {});

// An update that owns its names and values, from AttributeUpdates: PUT sets, ADD adds to a number,
// set or list, DELETE removes the attribute or, with a value, members of a set.
Result<BoundUpdate> UpdateFromLegacy(LegacyUpdates updates);

}  // namespace monotable::expression

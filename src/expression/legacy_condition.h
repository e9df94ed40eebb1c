#pragma once

#include <optional>

#include "error/result.h"
#include "expression/condition.h"
#include "expression/legacy.h"

namespace monotable::expression {

// The rules of ConditionalOperator: it needs a filter or Expected (`conditions` is the number of
// entries, 0 if the parameter is absent), with at least two entries.
Status CheckConditionalOperator(std::optional<ConditionalOperator> conditional_operator,
                                size_t conditions);

// Conditions that own their names and values. Conditional operators default to AND; without any
// entry the condition is always true.
Result<BoundCondition> ConditionFromExpected(
    LegacyExpectations expected, std::optional<ConditionalOperator> conditional_operator);
// From QueryFilter or ScanFilter.
Result<BoundCondition> ConditionFromFilter(LegacyConditions filter,
                                           std::optional<ConditionalOperator> conditional_operator);

// Checks the number and types of a legacy operator's arguments; KeyConditions has the same rules.
Status CheckArguments(ComparisonOperator comparison, const std::vector<item::Value>& values);

// "EQ", "NOT_CONTAINS", … as the wire writes them.
std::string_view OperatorName(ComparisonOperator comparison);

}  // namespace monotable::expression

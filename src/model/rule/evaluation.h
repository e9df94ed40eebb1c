#pragma once

#include <optional>

#include "error/result.h"
#include "item/value.h"
#include "model/rule/rule.h"
#include "model/rule/tree.h"

namespace monotable::model {

// What a rule comes to; nothing is null. Rule::Evaluate is what others call.
Result<std::optional<item::Value>> EvaluateRule(const RuleNode& node, const Rule::Scope& scope);

// Whether that is true. Null is not; what is neither true nor false is an error.
Result<bool> TestRule(const RuleNode& node, const Rule::Scope& scope);

}  // namespace monotable::model

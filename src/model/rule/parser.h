#pragma once

#include <string_view>

#include "error/result.h"
#include "model/rule/tree.h"

namespace monotable::model {

// Makes the tree of a rule's text; Rule::Parse is what others call.
Result<RuleTree> ParseRule(std::string_view rule);

}  // namespace monotable::model

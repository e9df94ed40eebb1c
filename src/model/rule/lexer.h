#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"

namespace monotable::model {

struct RuleToken {
  enum class Kind { kEnd, kNumber, kText, kWord, kSymbol };
  Kind kind = Kind::kEnd;
  std::string text;  // of kText without quotes
  size_t at = 0;     // byte of the rule where it begins
};

// The tokens of a rule; the last is kEnd.
Result<std::vector<RuleToken>> ReadRuleTokens(std::string_view rule);

// A mistake in a rule: what is wrong, and at which character, counted from one.
Error RuleError(std::string_view rule, size_t at, std::string what);

}  // namespace monotable::model

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"
#include "item/value.h"

namespace monotable::model {

// One operator, value or name of a rule, with its operands. A node never changes once its tree is
// built, so that rules can share it.
struct RuleNode {
  enum class Kind {
    kLiteral,  // a number, a text, true, false, or null as an item's null
    kList,     // [a, b]
    kPath,     // an attribute, or a bare word that Resolve makes text
    kNow,
    kSum,    // of an aggregate path
    kCount,  // likewise
    kOr,
    kAnd,
    kNot,
    kEqual,
    kNotEqual,
    kLess,
    kLessOrEqual,
    kGreater,
    kGreaterOrEqual,
    kIn,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kNegate,
  };

  Kind kind = Kind::kLiteral;
  item::Value literal;
  std::string path;  // of kPath, kSum and kCount
  std::vector<std::shared_ptr<const RuleNode>> operands;
};

using RuleTree = std::shared_ptr<const RuleNode>;

// Parses the text of a rule into a tree; other code calls Rule::Parse.
Result<RuleTree> ParseRule(std::string_view rule);

}  // namespace monotable::model

#pragma once

#include <cstdint>
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
    kLiteral,   // a number, a text, true, false, or null as an item's null; also a list of these
    kDuration,  // 4h
    kList,      // [a, b]
    kPath,      // an attribute, or a bare word that CheckRule makes text
    kNow,
    kAggregate,  // sum(lines.Total, Quantity > 0)
    kCall,       // if(a, b, c)
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
  enum class Function {
    kNone,
    // Of kAggregate. Min and max of one operand, and of kCall with several operands.
    kSum,
    kCount,
    kMin,
    kMax,
    kAvg,
    kAll,
    kAny,
    // Of kCall.
    kIf,
    kConcat,
    kCoalesce,
    kDays,
  };
  // What CheckRule has found out about the attribute of a kPath or a kAggregate.
  enum class Moment { kNo, kIso, kBrazilian, kEpoch, kEpochMillis, kDate };

  Kind kind = Kind::kLiteral;
  Function function = Function::kNone;
  size_t at = 0;  // the byte of the rule where the node begins
  item::Value literal;
  int64_t millis = 0;      // of kDuration
  std::string path;        // of kPath; of kAggregate the collection and the attribute of a member
  bool quoted = false;     // a text in quotes, which is never a word
  bool in_list = false;    // of kAggregate: over a list of the item, not over other items
  bool of_member = false;  // of kPath: an attribute of the member that a condition is about
  Moment moment = Moment::kNo;
  // Of kAggregate: the condition that members have to fulfil, if there is one.
  std::vector<std::shared_ptr<const RuleNode>> operands;
};

using RuleTree = std::shared_ptr<const RuleNode>;

// Parses the text of a rule into a tree; other code calls Rule::Parse.
Result<RuleTree> ParseRule(std::string_view rule);

// The name of a function in a rule: sum, if.
std::string_view FunctionName(RuleNode::Function function);

// A place in a rule, counted in characters from one.
size_t CharacterAt(std::string_view rule, size_t byte);

}  // namespace monotable::model

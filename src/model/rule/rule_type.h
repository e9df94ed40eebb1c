#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/type.h"

// The types of expressions in rules, and which of them go together.
namespace monotable::model {

// What a part of a rule is.
struct RuleType {
  enum class Kind {
    kAny,   // anything; told only by the value
    kNull,  // the literal
    kBoolean,
    kInteger,
    kDecimal,
    kText,
    kWord,  // a bare word that is no attribute: a value of an enum
    kEnum,
    kInstant,
    kDate,
    kDuration,
    kBinary,
    kList,  // also a set
    kObject,
  };

  Kind kind = Kind::kAny;
  std::optional<int> scale;                 // of kDecimal, if it is known
  const EnumModel* values = nullptr;        // of kEnum
  std::string text;                         // of kWord, and of a kText that is a literal
  bool literal = false;                     // of kText: it is written in the rule
  std::shared_ptr<const RuleType> element;  // of kList
  // The values that the value may be: the members of a written list, the results of if and
  // coalesce.
  std::vector<RuleType> choices;
};

RuleType Simple(RuleType::Kind kind);
RuleType ListOf(RuleType element);
// The type as a message names it: an integer, a value of SaleStatus.
std::string Described(const RuleType& type);

bool IsNumber(const RuleType& type);
bool IsMoment(const RuleType& type);
bool IsText(const RuleType& type);
// Whether nothing can be said about the value before it is there.
bool IsOpen(const RuleType& type);

// Why two values can never be equal; empty if they can.
std::string WhyDifferent(const RuleType& a, const RuleType& b);
// Why an attribute cannot hold such a value; empty if it can. The values are those of its enum.
std::string WhyNotAssigned(const RuleType& from, const TypeModel& to, const EnumModel* values);
// The type of a number that is calculated from two others.
RuleType JoinNumbers(const RuleType& a, const RuleType& b, bool product);
// The type of a value that is one or the other; nothing if there is none.
std::optional<RuleType> Join(const RuleType& a, const RuleType& b);

}  // namespace monotable::model

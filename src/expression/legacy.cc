#include "expression/legacy.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "expression/comparison.h"
#include "expression/condition_tree.h"
#include "expression/key_condition.h"
#include "expression/update.h"
#include "expression/update_tree.h"
#include "item/value.h"

namespace monotable::expression {
namespace {

using item::Type;
using item::Value;

Error InvalidParameter(const std::string& what) {
  return Error::Validation("One or more parameter values were invalid: " + what);
}

bool TakesType(ComparisonOperator comparison, Type type) {
  switch (comparison) {
    case ComparisonOperator::kEq:
    case ComparisonOperator::kNe:
      return true;
    case ComparisonOperator::kBeginsWith:
      return type == Type::kString || type == Type::kBinary;
    case ComparisonOperator::kContains:
    case ComparisonOperator::kNotContains:
      return IsOrdered(type) || type == Type::kBool || type == Type::kNull;
    default:
      return IsOrdered(type);
  }
}

bool TakesCount(ComparisonOperator comparison, size_t count) {
  switch (comparison) {
    case ComparisonOperator::kNull:
    case ComparisonOperator::kNotNull:
      return count == 0;
    case ComparisonOperator::kBetween:
      return count == 2;
    case ComparisonOperator::kIn:
      return count > 0;
    default:
      return count == 1;
  }
}

ConditionOp OpOf(ComparisonOperator comparison) {
  switch (comparison) {
    case ComparisonOperator::kEq:
      return ConditionOp::kEqual;
    case ComparisonOperator::kNe:
      return ConditionOp::kNotEqual;
    case ComparisonOperator::kLe:
      return ConditionOp::kLessEqual;
    case ComparisonOperator::kLt:
      return ConditionOp::kLess;
    case ComparisonOperator::kGe:
      return ConditionOp::kGreaterEqual;
    case ComparisonOperator::kGt:
      return ConditionOp::kGreater;
    case ComparisonOperator::kNotNull:
      return ConditionOp::kAttributeExists;
    case ComparisonOperator::kNull:
      return ConditionOp::kAttributeNotExists;
    case ComparisonOperator::kContains:
    case ComparisonOperator::kNotContains:
      return ConditionOp::kContains;
    case ComparisonOperator::kBeginsWith:
      return ConditionOp::kBeginsWith;
    case ComparisonOperator::kIn:
      return ConditionOp::kIn;
    case ComparisonOperator::kBetween:
      return ConditionOp::kBetween;
  }
  return ConditionOp::kEqual;
}

// Builds the tree that an equivalent expression would have, with the values inside.
class TreeBuilder {
 public:
  void Add(const std::string& attribute, ComparisonOperator comparison, std::vector<Value> values) {
    References& references = tree_->references;
    std::vector<Operand> operands;
    operands.push_back({Operand::Kind::kPath, false, references.AddTopLevelPath(attribute)});
    for (Value& value : values) {
      operands.push_back({Operand::Kind::kValue, false, references.AddConstant(std::move(value))});
    }
    uint32_t node = tree_->Add(OpOf(comparison), operands);
    // NOT_CONTAINS is the negation of CONTAINS, so a missing attribute passes.
    if (comparison == ComparisonOperator::kNotContains) {
      node = tree_->AddLogical(ConditionOp::kNot, std::span(&node, 1));
    }
    entries_.push_back(node);
  }

  BoundCondition Build(std::optional<ConditionalOperator> conditional_operator) && {
    if (entries_.size() > 1) {
      const bool any = conditional_operator == ConditionalOperator::kOr;
      tree_->AddLogical(any ? ConditionOp::kOr : ConditionOp::kAnd, entries_);
    }
    Binding binding = BindConstants(tree_->references);
    return BoundCondition(std::move(tree_), std::move(binding));
  }

 private:
  std::shared_ptr<ParsedCondition> tree_ = std::make_shared<ParsedCondition>();
  std::vector<uint32_t> entries_;
};

// Turns an entry of Expected into a condition.
Result<LegacyCondition> FromExpected(const std::string& attribute, LegacyExpected expected) {
  const std::string suffix = " for Attribute: " + attribute;
  if (expected.value && expected.values) {
    return InvalidParameter("Value and AttributeValueList cannot be used together" + suffix);
  }
  LegacyCondition condition;
  if (expected.comparison) {
    condition.comparison = *expected.comparison;
    if (expected.exists) {
      return InvalidParameter("Exists and ComparisonOperator cannot be used together" + suffix);
    }
    const bool needs_value = !TakesCount(condition.comparison, 0);
    if (needs_value && !expected.value && !expected.values) {
      return InvalidParameter("Value or AttributeValueList must be used with ComparisonOperator: " +
                              std::string(OperatorName(condition.comparison)) + suffix);
    }
    if (expected.values) condition.values = *std::move(expected.values);
    if (expected.value) condition.values.push_back(*std::move(expected.value));
    return condition;
  }
  if (expected.values) {
    return InvalidParameter("AttributeValueList can only be used with a ComparisonOperator" +
                            suffix);
  }
  if (expected.exists == false) {
    if (expected.value) {
      return InvalidParameter("Value cannot be used when Exists is false" + suffix);
    }
    condition.comparison = ComparisonOperator::kNull;
    return condition;
  }
  if (!expected.value) {
    const std::string exists = expected.exists ? "true" : "null";
    return InvalidParameter("Value must be provided when Exists is " + exists + suffix);
  }
  condition.values.push_back(*std::move(expected.value));
  return condition;
}

}  // namespace

std::string_view OperatorName(ComparisonOperator comparison) {
  switch (comparison) {
    case ComparisonOperator::kEq:
      return "EQ";
    case ComparisonOperator::kNe:
      return "NE";
    case ComparisonOperator::kLe:
      return "LE";
    case ComparisonOperator::kLt:
      return "LT";
    case ComparisonOperator::kGe:
      return "GE";
    case ComparisonOperator::kGt:
      return "GT";
    case ComparisonOperator::kNotNull:
      return "NOT_NULL";
    case ComparisonOperator::kNull:
      return "NULL";
    case ComparisonOperator::kContains:
      return "CONTAINS";
    case ComparisonOperator::kNotContains:
      return "NOT_CONTAINS";
    case ComparisonOperator::kBeginsWith:
      return "BEGINS_WITH";
    case ComparisonOperator::kIn:
      return "IN";
    case ComparisonOperator::kBetween:
      return "BETWEEN";
  }
  return "";
}

Status CheckArguments(ComparisonOperator comparison, const std::vector<Value>& values) {
  const std::string name(OperatorName(comparison));
  if (!TakesCount(comparison, values.size())) {
    return InvalidParameter("Invalid number of argument(s) for the " + name +
                            " ComparisonOperator");
  }
  for (const Value& value : values) {
    if (!value.is(values.front().type())) {
      return InvalidParameter("AttributeValues inside AttributeValueList must be of same type");
    }
    if (!TakesType(comparison, value.type())) {
      return InvalidParameter("ComparisonOperator " + name + " is not valid for " +
                              std::string(TypeName(value.type())) + " AttributeValue type");
    }
  }
  if (comparison == ComparisonOperator::kBetween && Compare(values[0], values[1]) > 0) {
    return Error::Validation(
        "The BETWEEN condition was provided a range where the lower bound is greater than the "
        "upper bound");
  }
  return {};
}

Status CheckConditionalOperator(std::optional<ConditionalOperator> conditional_operator,
                                size_t conditions) {
  if (!conditional_operator || conditions > 1) return {};
  return Error::Validation(
      conditions == 0
          ? "ConditionalOperator cannot be used without Filter or Expected"
          : "ConditionalOperator can only be used when Filter or Expected has two or more "
            "elements");
}

Result<BoundCondition> ConditionFromExpected(
    LegacyExpectations expected, std::optional<ConditionalOperator> conditional_operator) {
  TRY(CheckConditionalOperator(conditional_operator, expected.size()));
  TreeBuilder tree;
  for (auto& entry : expected) {
    TRY_ASSIGN(LegacyCondition condition, FromExpected(entry.first, std::move(entry.second)));
    TRY(CheckArguments(condition.comparison, condition.values));
    tree.Add(entry.first, condition.comparison, std::move(condition.values));
  }
  return std::move(tree).Build(conditional_operator);
}

Result<BoundCondition> ConditionFromFilter(
    LegacyConditions filter, std::optional<ConditionalOperator> conditional_operator) {
  TRY(CheckConditionalOperator(conditional_operator, filter.size()));
  TreeBuilder tree;
  for (auto& entry : filter) {
    TRY(CheckArguments(entry.second.comparison, entry.second.values));
    tree.Add(entry.first, entry.second.comparison, std::move(entry.second.values));
  }
  return std::move(tree).Build(conditional_operator);
}

namespace {

// Fills in the operator of a term; false if no index serves it.
bool ReadOperator(ComparisonOperator comparison, KeyTerm* term) {
  switch (comparison) {
    case ComparisonOperator::kEq:
      return true;
    case ComparisonOperator::kLt:
      term->inequality = RangeBound::Op::kLess;
      return true;
    case ComparisonOperator::kLe:
      term->inequality = RangeBound::Op::kLessEqual;
      return true;
    case ComparisonOperator::kGt:
      term->inequality = RangeBound::Op::kGreater;
      return true;
    case ComparisonOperator::kGe:
      term->inequality = RangeBound::Op::kGreaterEqual;
      return true;
    case ComparisonOperator::kBetween:
      term->inequality = RangeBound::Op::kBetween;
      return true;
    case ComparisonOperator::kBeginsWith:
      term->inequality = RangeBound::Op::kBeginsWith;
      return true;
    default:
      return false;
  }
}

}  // namespace

Result<KeyCondition> KeyConditionFromLegacy(const LegacyConditions& conditions,
                                            const table::KeySchema& schema,
                                            const KeyConditionOptions& options) {
  std::vector<KeyTerm> terms;
  for (const auto& [attribute, condition] : conditions) {
    TRY(CheckArguments(condition.comparison, condition.values));
    KeyTerm term;
    term.attribute = attribute;
    if (!ReadOperator(condition.comparison, &term)) {
      return Error::Validation("Attempted conditional constraint is not an indexable operation");
    }
    term.first = &condition.values[0];
    if (condition.values.size() > 1) term.second = &condition.values[1];
    terms.push_back(term);
  }
  if (terms.empty()) return Error::Validation("Conditions can be of length 1 or 2 only");
  return MatchKey(terms, schema, options);
}

namespace {

using item::Type;
using Action = ParsedUpdate::Action;
using UpdateOperand = ParsedUpdate::Operand;

Status Check(const LegacyUpdate& update) {
  const std::string prefix = "One or more parameter values were invalid: ";
  if (!update.value) {
    if (update.action == LegacyAction::kDelete) return {};
    return Error::Validation(prefix +
                             "Only DELETE action is allowed when no attribute value is specified");
  }
  const Type type = update.value->type();
  const std::string type_name(TypeName(type));
  if (update.action == LegacyAction::kDelete && !IsSet(type)) {
    return Error::Validation(prefix + "DELETE action with value is not supported for the type " +
                             type_name);
  }
  const bool can_add = IsSet(type) || type == Type::kNumber || type == Type::kList;
  if (update.action == LegacyAction::kAdd && !can_add) {
    return Error::Validation(prefix + "ADD action is not supported for the type " + type_name);
  }
  return {};
}

Action::Kind KindOf(const LegacyUpdate& update) {
  switch (update.action) {
    case LegacyAction::kPut:
      return Action::Kind::kSet;
    case LegacyAction::kAdd:
      return Action::Kind::kAdd;
    case LegacyAction::kDelete:
      break;
  }
  return update.value ? Action::Kind::kDelete : Action::Kind::kRemove;
}

}  // namespace

Result<BoundUpdate> UpdateFromLegacy(LegacyUpdates updates) {
  const auto parsed = std::make_shared<ParsedUpdate>();
  parsed->is_legacy = true;
  for (auto& entry : updates) {
    LegacyUpdate& update = entry.second;
    TRY(item::CheckAttributeName(entry.first));
    TRY(Check(update));
    Action action;
    action.kind = KindOf(update);
    action.path = parsed->references.AddTopLevelPath(entry.first);
    if (update.value) {
      const uint32_t slot = parsed->references.AddConstant(*std::move(update.value));
      action.operand = parsed->AddOperand({UpdateOperand::Kind::kValue, slot, 0});
    }
    parsed->actions.push_back(action);
  }
  Binding binding = BindConstants(parsed->references);
  TRY_ASSIGN(PathTree targets, UpdateTargets(*parsed, binding));
  return BoundUpdate(parsed, std::move(binding), std::move(targets));
}

}  // namespace monotable::expression

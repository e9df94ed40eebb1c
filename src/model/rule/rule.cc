#include "model/rule/rule.h"

#include <algorithm>
#include <compare>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "error/result.h"
#include "item/value.h"
#include "model/instant.h"
#include "model/rule/rule_tree.h"

namespace monotable::model {
namespace {

using NodeKind = RuleNode::Kind;
using item::Number;
using item::Type;
using item::Value;
using Outcome = std::optional<Value>;

Outcome OutcomeOf(const Value* value) {
  if (value == nullptr || value->is(Type::kNull)) return std::nullopt;
  return *value;
}

std::string TypeText(const Value& value) {
  return std::string(item::TypeName(value.type()));
}

// Two texts are compared as moments only if both are moments: a name that looks like a date stays
// text beside another name. A number is a moment only beside a text, because two numbers compare as
// numbers.
std::optional<std::strong_ordering> CompareMoments(const Value& a, const Value& b) {
  if (!a.is(Type::kString) && !b.is(Type::kString)) return std::nullopt;
  const std::optional<Instant> left = ReadInstant(a);
  const std::optional<Instant> right = left ? ReadInstant(b) : std::nullopt;
  if (!right) return std::nullopt;
  return *left <=> *right;
}

bool AreEqual(const Value& a, const Value& b) {
  const auto moments = CompareMoments(a, b);
  return moments ? *moments == 0 : a == b;
}

Result<std::strong_ordering> Compare(const Value& a, const Value& b) {
  if (const auto moments = CompareMoments(a, b)) return *moments;
  if (a.is(Type::kNumber) && b.is(Type::kNumber)) return a.number() <=> b.number();
  if (a.is(Type::kString) && b.is(Type::kString)) return a.string() <=> b.string();
  return Error::Validation("values of types " + TypeText(a) + " and " + TypeText(b) +
                           " have no order");
}

Result<bool> IsMember(const Value& value, const Value& group) {
  const auto is_value = [&value](const auto& member) { return AreEqual(value, Value(member)); };
  switch (group.type()) {
    case Type::kList:
      return std::any_of(group.list().begin(), group.list().end(), is_value);
    case Type::kStringSet:
      return std::any_of(group.string_set().begin(), group.string_set().end(), is_value);
    case Type::kNumberSet:
      return std::any_of(group.number_set().begin(), group.number_set().end(), is_value);
    default:
      return Error::Validation("in needs a list or a set, and not the type " + TypeText(group));
  }
}

Result<bool> CompareAs(NodeKind kind, const Value& a, const Value& b) {
  if (kind == NodeKind::kEqual) return AreEqual(a, b);
  if (kind == NodeKind::kNotEqual) return !AreEqual(a, b);
  if (kind == NodeKind::kIn) return IsMember(a, b);
  TRY_ASSIGN(const std::strong_ordering order, Compare(a, b));
  switch (kind) {
    case NodeKind::kLess:
      return order < 0;
    case NodeKind::kLessOrEqual:
      return order <= 0;
    case NodeKind::kGreater:
      return order > 0;
    default:
      return order >= 0;
  }
}

Result<Number> Calculate(NodeKind kind, const Value& a, const Value& b) {
  if (!a.is(Type::kNumber) || !b.is(Type::kNumber)) {
    return Error::Validation("the type " + TypeText(a.is(Type::kNumber) ? b : a) +
                             " cannot be calculated with");
  }
  switch (kind) {
    case NodeKind::kAdd:
      return Number::Add(a.number(), b.number());
    case NodeKind::kMultiply:
      return Number::Multiply(a.number(), b.number());
    case NodeKind::kDivide:
      return Number::Divide(a.number(), b.number());
    default:
      return Number::Subtract(a.number(), b.number());
  }
}

class RuleEvaluation {
 public:
  explicit RuleEvaluation(const Rule::Scope& scope) : scope_(scope) {}

  Result<Outcome> Evaluate(const RuleNode& node) const {
    switch (node.kind) {
      case NodeKind::kLiteral:
        return OutcomeOf(&node.literal);
      case NodeKind::kList:
        return EvaluateList(node);
      case NodeKind::kPath:
        return OutcomeOf(scope_.find(node.path));
      case NodeKind::kNow:
        return OutcomeOf(&scope_.now);
      case NodeKind::kSum:
      case NodeKind::kCount:
        return EvaluateAggregate(node);
      case NodeKind::kOr:
      case NodeKind::kAnd:
        return EvaluateLogic(node);
      case NodeKind::kNot: {
        TRY_ASSIGN(const bool operand, Test(*node.operands[0]));
        return Outcome(Value(!operand));
      }
      case NodeKind::kNegate: {
        TRY_ASSIGN(const Outcome operand, Evaluate(*node.operands[0]));
        return EvaluateArithmetic(NodeKind::kSubtract, Value(Number()), operand);
      }
      case NodeKind::kAdd:
      case NodeKind::kSubtract:
      case NodeKind::kMultiply:
      case NodeKind::kDivide: {
        TRY_ASSIGN(const Outcome left, Evaluate(*node.operands[0]));
        TRY_ASSIGN(const Outcome right, Evaluate(*node.operands[1]));
        return EvaluateArithmetic(node.kind, left, right);
      }
      default:
        return EvaluateComparison(node);
    }
  }

  Result<bool> Test(const RuleNode& node) const {
    TRY_ASSIGN(const Outcome outcome, Evaluate(node));
    if (!outcome) return false;
    if (!outcome->is(Type::kBool)) {
      return Error::Validation("a value of type " + TypeText(*outcome) +
                               " stands where true or false is needed");
    }
    return outcome->boolean();
  }

 private:
  Result<Outcome> EvaluateList(const RuleNode& node) const {
    item::List list;
    for (const RuleTree& member : node.operands) {
      TRY_ASSIGN(Outcome value, Evaluate(*member));
      list.push_back(value ? std::move(*value) : Value());
    }
    return Outcome(Value(std::move(list)));
  }

  Result<Outcome> EvaluateAggregate(const RuleNode& node) const {
    if (!scope_.find_all) return Error::Validation(node.path + " is not known here");
    Number sum;
    int64_t count = 0;
    for (const Value* value : scope_.find_all(node.path)) {
      if (value == nullptr || value->is(Type::kNull)) continue;
      ++count;
      if (node.kind == NodeKind::kCount) continue;
      TRY_ASSIGN(sum, Calculate(NodeKind::kAdd, Value(sum), *value));
    }
    return Outcome(Value(node.kind == NodeKind::kCount ? Number::FromInt(count) : sum));
  }

  // The right side is not evaluated if the left side decides.
  Result<Outcome> EvaluateLogic(const RuleNode& node) const {
    TRY_ASSIGN(const bool left, Test(*node.operands[0]));
    if (left == (node.kind == NodeKind::kOr)) return Outcome(Value(left));
    TRY_ASSIGN(const bool right, Test(*node.operands[1]));
    return Outcome(Value(right));
  }

  Result<Outcome> EvaluateArithmetic(NodeKind kind, const Outcome& left,
                                     const Outcome& right) const {
    if (!left || !right) return Outcome();
    TRY_ASSIGN(const Number number, Calculate(kind, *left, *right));
    return Outcome(Value(number));
  }

  Result<Outcome> EvaluateComparison(const RuleNode& node) const {
    TRY_ASSIGN(const Outcome left, Evaluate(*node.operands[0]));
    TRY_ASSIGN(const Outcome right, Evaluate(*node.operands[1]));
    if (left && right) {
      TRY_ASSIGN(const bool holds, CompareAs(node.kind, *left, *right));
      return Outcome(Value(holds));
    }
    // Only null equals null, and null has no order.
    const bool both_null = !left && !right;
    return Outcome(Value((node.kind == NodeKind::kEqual && both_null) ||
                         (node.kind == NodeKind::kNotEqual && !both_null)));
  }

  const Rule::Scope& scope_;
};

// Evaluates a rule; an empty optional is null. Other code calls Rule::Evaluate.
Result<std::optional<item::Value>> EvaluateRule(const RuleNode& node, const Rule::Scope& scope) {
  return RuleEvaluation(scope).Evaluate(node);
}

// Whether a rule is true. Null is not true; a value that is neither true nor false is an error.
Result<bool> TestRule(const RuleNode& node, const Rule::Scope& scope) {
  return RuleEvaluation(scope).Test(node);
}

void AddOnce(const std::string& path, std::vector<std::string>* paths) {
  if (std::find(paths->begin(), paths->end(), path) == paths->end()) paths->push_back(path);
}

void CollectPaths(const RuleNode& node, std::vector<std::string>* paths,
                  std::vector<std::string>* aggregates) {
  if (node.kind == NodeKind::kPath) AddOnce(node.path, paths);
  if (node.kind == NodeKind::kSum || node.kind == NodeKind::kCount) AddOnce(node.path, aggregates);
  for (const RuleTree& operand : node.operands) CollectPaths(*operand, paths, aggregates);
}

RuleTree WithWordsAsText(const RuleTree& tree,
                         const std::function<bool(std::string_view path)>& is_attribute) {
  auto node = std::make_shared<RuleNode>(*tree);
  if (node->kind == NodeKind::kPath && !is_attribute(node->path)) {
    node->kind = NodeKind::kLiteral;
    node->literal = item::Value(std::exchange(node->path, ""));
  }
  for (RuleTree& operand : node->operands) operand = WithWordsAsText(operand, is_attribute);
  return node;
}

Error CannotEvaluate(const std::string& rule, const Error& why) {
  return Error::Validation("The rule \"" + rule + "\" cannot be evaluated: " + why.message());
}

}  // namespace

Result<Rule> Rule::Parse(std::string_view text) {
  Rule rule;
  rule.text_ = text;
  TRY_ASSIGN(rule.root_, ParseRule(text));
  CollectPaths(*rule.root_, &rule.paths_, &rule.aggregates_);
  return rule;
}

Rule Rule::Resolve(const std::function<bool(std::string_view path)>& is_attribute) const {
  Rule rule;
  rule.text_ = text_;
  if (root_ == nullptr) return rule;
  rule.root_ = WithWordsAsText(root_, is_attribute);
  CollectPaths(*rule.root_, &rule.paths_, &rule.aggregates_);
  return rule;
}

Result<bool> Rule::Test(const Scope& scope) const {
  if (root_ == nullptr) return Error::Internal("A rule without text was tested");
  Result<bool> result = TestRule(*root_, scope);
  if (!result) return CannotEvaluate(text_, result.error());
  return result;
}

Result<std::optional<item::Value>> Rule::Evaluate(const Scope& scope) const {
  if (root_ == nullptr) return Error::Internal("A rule without text was evaluated");
  Result<std::optional<item::Value>> result = EvaluateRule(*root_, scope);
  if (!result) return CannotEvaluate(text_, result.error());
  return result;
}

}  // namespace monotable::model

#include "expression/key_condition.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "expression/condition_tree.h"
#include "expression/key_match.h"

namespace monotable::expression {
namespace {

constexpr std::string_view kKeyConditionParameter = "KeyConditionExpression";

Error InvalidOperator(std::string_view name) {
  return Error::Validation("Invalid operator used in KeyConditionExpression: " + std::string(name));
}

Error InvalidCondition(std::string_view what) {
  return Error::Validation("Invalid condition in KeyConditionExpression: " + std::string(what));
}

// The comparison with its operands exchanged: 5 < a is a > 5.
ConditionOp Mirrored(ConditionOp op) {
  switch (op) {
    case ConditionOp::kLess:
      return ConditionOp::kGreater;
    case ConditionOp::kLessEqual:
      return ConditionOp::kGreaterEqual;
    case ConditionOp::kGreater:
      return ConditionOp::kLess;
    case ConditionOp::kGreaterEqual:
      return ConditionOp::kLessEqual;
    default:
      return op;
  }
}

std::optional<RangeBound::Op> Inequality(ConditionOp op) {
  switch (op) {
    case ConditionOp::kLess:
      return RangeBound::Op::kLess;
    case ConditionOp::kLessEqual:
      return RangeBound::Op::kLessEqual;
    case ConditionOp::kGreater:
      return RangeBound::Op::kGreater;
    case ConditionOp::kGreaterEqual:
      return RangeBound::Op::kGreaterEqual;
    case ConditionOp::kBetween:
      return RangeBound::Op::kBetween;
    case ConditionOp::kBeginsWith:
      return RangeBound::Op::kBeginsWith;
    default:
      return std::nullopt;
  }
}

// Reads the conditions on single attributes out of a tree, which may only join them with AND.
class TermReader {
 public:
  TermReader(const ParsedCondition& tree, const Binding& binding)
      : tree_(tree), binding_(binding) {}

  Result<std::vector<KeyTerm>> Read() {
    TRY(ReadNode(tree_.nodes.back()));
    return std::move(terms_);
  }

 private:
  Status ReadNode(const ParsedCondition::Node& node) {
    if (node.op == ConditionOp::kAnd) {
      for (const uint32_t child : tree_.ChildrenOf(node)) TRY(ReadNode(tree_.nodes[child]));
      return {};
    }
    if (node.op != ConditionOp::kEqual && !Inequality(node.op)) {
      return InvalidOperator(OpName(node.op));
    }
    TRY_ASSIGN(const KeyTerm term, ReadTerm(node));
    if (std::ranges::count(terms_, term.attribute, &KeyTerm::attribute) > 0) {
      return InvalidExpression(kKeyConditionParameter,
                               "KeyConditionExpressions must only contain one condition per key");
    }
    terms_.push_back(term);
    return {};
  }

  Result<KeyTerm> ReadTerm(const ParsedCondition::Node& node) const {
    const std::span<const Operand> operands = tree_.OperandsOf(node);
    TRY_ASSIGN(const size_t key_at, FindKey(operands));
    const bool needs_key_first =
        node.op == ConditionOp::kBetween || node.op == ConditionOp::kBeginsWith;
    if (key_at > 0 && needs_key_first) {
      return InvalidCondition(std::string(OpName(node.op)) +
                              " operator must have the key attribute as its first operand");
    }
    KeyTerm term;
    term.attribute = PathOf(operands[key_at]).front().name;
    term.inequality = Inequality(key_at > 0 ? Mirrored(node.op) : node.op);
    term.first = binding_.values[operands[key_at > 0 ? 0 : 1].slot];
    if (operands.size() > 2) term.second = binding_.values[operands[2].slot];
    return term;
  }

  // The position of the one operand that is an attribute.
  Result<size_t> FindKey(std::span<const Operand> operands) const {
    std::optional<size_t> found;
    for (size_t at = 0; at < operands.size(); ++at) {
      if (operands[at].is_size) return InvalidOperator("size");
      if (operands[at].kind == Operand::Kind::kValue) continue;
      if (found) return InvalidCondition("Multiple attribute names used in one condition");
      if (PathOf(operands[at]).size() > 1) {
        return InvalidExpression(
            kKeyConditionParameter,
            "KeyConditionExpressions cannot have conditions on nested attributes");
      }
      found = at;
    }
    if (!found) return InvalidCondition("No key attribute specified");
    return *found;
  }

  Path PathOf(const Operand& operand) const {
    return binding_.path(tree_.references, operand.slot);
  }

  const ParsedCondition& tree_;
  const Binding& binding_;
  std::vector<KeyTerm> terms_;
};

}  // namespace

Result<BoundKeyCondition> BindKeyCondition(std::string_view text, Substitutions& substitutions) {
  TRY_ASSIGN(auto tree, ParseConditionTree(text, kKeyConditionParameter));
  TRY_ASSIGN(const Binding binding,
             BindConditionTree(*tree, kKeyConditionParameter, substitutions));
  TRY_ASSIGN(std::vector<KeyTerm> terms, TermReader(*tree, binding).Read());
  return BoundKeyCondition{std::move(terms), std::move(tree)};
}

Result<KeyCondition> ParseKeyCondition(std::string_view text, Substitutions& substitutions,
                                       const table::KeySchema& schema,
                                       const KeyConditionOptions& options) {
  TRY_ASSIGN(const BoundKeyCondition bound, BindKeyCondition(text, substitutions));
  return MatchKey(bound.terms, schema, options);
}

}  // namespace monotable::expression

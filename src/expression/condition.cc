#include "expression/condition.h"

#include <algorithm>
#include <utility>

#include "expression/comparison.h"
#include "expression/condition_tree.h"

namespace monotable::expression {
namespace {

using item::Value;

// One evaluation of a condition on an item. Allocates nothing: size() is computed into a Value
// on the stack.
class Evaluation {
 public:
  Evaluation(const ParsedCondition& tree, const Binding& binding, const item::Item& item)
      : tree_(tree), binding_(binding), item_(item) {}

  bool Run() const { return tree_.nodes.empty() || Holds(tree_.nodes.back()); }

 private:
  bool Holds(const ParsedCondition::Node& node) const {
    const auto child_holds = [this](uint32_t child) { return Holds(tree_.nodes[child]); };
    switch (node.op) {
      case ConditionOp::kAnd:
        return std::ranges::all_of(tree_.ChildrenOf(node), child_holds);
      case ConditionOp::kOr:
        return std::ranges::any_of(tree_.ChildrenOf(node), child_holds);
      case ConditionOp::kNot:
        return std::ranges::none_of(tree_.ChildrenOf(node), child_holds);
      default:
        return HoldsOf(node.op, tree_.OperandsOf(node));
    }
  }

  bool HoldsOf(ConditionOp op, std::span<const Operand> operands) const {
    Value first_size;
    const Value* first = Find(operands[0], &first_size);
    switch (op) {
      case ConditionOp::kAttributeExists:
        return first != nullptr;
      case ConditionOp::kAttributeNotExists:
        return first == nullptr;
      case ConditionOp::kBetween:
        return IsOrderedBy(first, operands[1], std::is_gteq) &&
               IsOrderedBy(first, operands[2], std::is_lteq);
      case ConditionOp::kIn:
        return std::ranges::any_of(operands.subspan(1), [&](const Operand& candidate) {
          return Equals(first, candidate);
        });
      // A missing attribute is different from everything.
      case ConditionOp::kNotEqual:
        return !Equals(first, operands[1]);
      case ConditionOp::kEqual:
        return Equals(first, operands[1]);
      case ConditionOp::kLess:
        return IsOrderedBy(first, operands[1], std::is_lt);
      case ConditionOp::kLessEqual:
        return IsOrderedBy(first, operands[1], std::is_lteq);
      case ConditionOp::kGreater:
        return IsOrderedBy(first, operands[1], std::is_gt);
      case ConditionOp::kGreaterEqual:
        return IsOrderedBy(first, operands[1], std::is_gteq);
      default:
        return HoldsOfParts(op, first, operands[1]);
    }
  }

  bool HoldsOfParts(ConditionOp op, const Value* first, const Operand& operand) const {
    Value size;
    const Value* second = Find(operand, &size);
    if (first == nullptr || second == nullptr) return false;
    if (op == ConditionOp::kBeginsWith) return BeginsWith(*first, *second);
    if (op == ConditionOp::kContains) return Contains(*first, *second);
    // attribute_type
    return second->is(item::Type::kString) && second->string() == TypeName(first->type());
  }

  bool Equals(const Value* value, const Operand& operand) const {
    Value size;
    const Value* other = Find(operand, &size);
    return value != nullptr && other != nullptr && *value == *other;
  }

  bool IsOrderedBy(const Value* value, const Operand& operand,
                   bool (*wanted)(std::partial_ordering)) const {
    Value size;
    const Value* other = Find(operand, &size);
    return value != nullptr && other != nullptr && wanted(Compare(*value, *other));
  }

  // The operand's value, or nullptr if the item does not have it. `size` holds a computed one.
  const Value* Find(const Operand& operand, Value* size) const {
    const Value* value = operand.kind == Operand::Kind::kValue
                             ? binding_.values[operand.slot]
                             : Resolve(binding_.path(tree_.references, operand.slot), item_);
    if (!operand.is_size || value == nullptr) return value;
    const std::optional<item::Number> number = LogicalSize(*value);
    if (!number) return nullptr;
    *size = Value(*number);
    return size;
  }

  const ParsedCondition& tree_;
  const Binding& binding_;
  const item::Item& item_;
};

}  // namespace

BoundCondition::BoundCondition(std::shared_ptr<const ParsedCondition> tree, Binding binding)
    : tree_(std::move(tree)), binding_(std::move(binding)) {}

bool BoundCondition::Evaluate(const item::Item& item) const {
  return Evaluation(*tree_, binding_, item).Run();
}

std::vector<Path> BoundCondition::Paths() const {
  std::vector<Path> paths;
  for (uint32_t slot = 0; slot < tree_->references.paths.size(); ++slot) {
    paths.push_back(binding_.path(tree_->references, slot));
  }
  return paths;
}

std::vector<std::string_view> BoundCondition::TopLevelNames() const {
  std::vector<std::string_view> names;
  for (const Path path : Paths()) names.push_back(path.front().name);
  return names;
}

std::vector<std::string_view> BoundCondition::NestedNames() const {
  std::vector<std::string_view> names;
  for (const Path path : Paths()) {
    if (path.size() > 1) names.push_back(path.front().name);
  }
  return names;
}

Result<BoundCondition> ParseCondition(std::string_view text, ConditionKind kind,
                                      Substitutions& substitutions) {
  const std::string_view parameter =
      kind == ConditionKind::kFilter ? "FilterExpression" : "ConditionExpression";
  TRY_ASSIGN(auto tree, ParseConditionTree(text, parameter));
  TRY_ASSIGN(Binding binding, BindConditionTree(*tree, parameter, substitutions));
  return BoundCondition(std::move(tree), std::move(binding));
}

}  // namespace monotable::expression

#include "expression/condition.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "expression/comparison.h"
#include "expression/condition_tree.h"
#include "expression/expression_parser.h"

namespace monotable::expression {
namespace {

using item::Type;

// In the order the service's message lists them.
constexpr std::array<std::string_view, 10> kTypeNames = {"B",  "NULL", "SS", "BOOL", "L",
                                                         "BS", "N",    "NS", "S",    "M"};

// "AttributeValue: {S:abc}": how the service's messages show the bounds of BETWEEN, which are
// strings, numbers or binaries. A binary shows as the service's Java buffer does, by its length.
std::string BoundText(const item::Value& bound) {
  std::string text = "AttributeValue: {";
  text.append(item::TypeName(bound.type())).append(":");
  if (bound.is(item::Type::kString)) text += bound.string();
  if (bound.is(item::Type::kNumber)) bound.number().AppendTo(&text);
  if (bound.is(item::Type::kBinary)) {
    const std::string length = std::to_string(bound.binary().size());
    text.append("java.nio.HeapByteBuffer[pos=0 lim=").append(length);
    text.append(" cap=").append(length).append("]");
  }
  return text += "}";
}

// Checks of one node's operands. Each returns the service's complaint, or none.
class OperandCheck {
 public:
  OperandCheck(const ParsedCondition& tree, const Binding& binding,
               const ParsedCondition::Node& node)
      : tree_(tree), binding_(binding), node_(node), operands_(tree.OperandsOf(node)) {}

  std::optional<std::string> Run() const {
    for (const Operand& operand : operands_) {
      if (auto complaint = CheckSize(operand)) return complaint;
    }
    if (auto complaint = CheckDistinct()) return complaint;
    switch (node_.op) {
      case ConditionOp::kLess:
      case ConditionOp::kLessEqual:
      case ConditionOp::kGreater:
      case ConditionOp::kGreaterEqual:
        return CheckTypes(operands_, IsOrdered);
      case ConditionOp::kBetween:
        return CheckBetween();
      case ConditionOp::kAttributeExists:
      case ConditionOp::kAttributeNotExists:
        return CheckPath();
      case ConditionOp::kAttributeType:
        return CheckAttributeType();
      case ConditionOp::kBeginsWith:
        return CheckTypes(operands_,
                          [](Type type) { return type == Type::kString || type == Type::kBinary; });
      case ConditionOp::kContains:
        return CheckTypes(operands_.first(1), HasParts);
      default:
        return std::nullopt;
    }
  }

 private:
  // Whether contains() can find something in a value of this type, and size() its size.
  static bool HasParts(Type type) {
    return type != Type::kNumber && type != Type::kBool && type != Type::kNull &&
           type != Type::kMap;
  }

  const item::Value* Constant(const Operand& operand) const {
    const bool is_constant = operand.kind == Operand::Kind::kValue && !operand.is_size;
    return is_constant ? binding_.values[operand.slot] : nullptr;
  }

  // The type of an operand as far as it is known without an item.
  std::optional<Type> KnownType(const Operand& operand) const {
    if (operand.is_size) return Type::kNumber;
    const item::Value* constant = Constant(operand);
    if (constant == nullptr) return std::nullopt;
    return constant->type();
  }

  std::optional<std::string> CheckSize(const Operand& operand) const {
    if (!operand.is_size || operand.kind != Operand::Kind::kValue) return std::nullopt;
    const Type type = binding_.values[operand.slot]->type();
    if (HasParts(type) || type == Type::kMap) return std::nullopt;
    return WrongOperandType("size", type);
  }

  std::optional<std::string> CheckDistinct() const {
    const auto plain_path = [](const Operand& operand) {
      return operand.kind == Operand::Kind::kPath && !operand.is_size;
    };
    const Operand& first = operands_.front();
    if (!plain_path(first)) return std::nullopt;
    const Path path = binding_.path(tree_.references, first.slot);
    const auto repeats_first = [&](const Operand& operand) {
      return plain_path(operand) && SamePath(path, binding_.path(tree_.references, operand.slot));
    };
    if (std::ranges::none_of(operands_.subspan(1), repeats_first)) return std::nullopt;
    return "The first operand must be distinct from the remaining operands for this operator or "
           "function; operator: " +
           std::string(OpName(node_.op)) + ", first operand: " + Describe(path);
  }

  template <typename Predicate>
  std::optional<std::string> CheckTypes(std::span<const Operand> operands,
                                        Predicate allowed) const {
    for (const Operand& operand : operands) {
      const std::optional<Type> type = KnownType(operand);
      if (type && !allowed(*type)) return WrongOperandType(OpName(node_.op), *type);
    }
    return std::nullopt;
  }

  std::optional<std::string> CheckBetween() const {
    if (auto complaint = CheckTypes(operands_, IsOrdered)) return complaint;
    const item::Value* low = Constant(operands_[1]);
    const item::Value* high = Constant(operands_[2]);
    if (low == nullptr || high == nullptr) return std::nullopt;
    std::string complaint;
    if (low->type() != high->type()) {
      complaint = "The BETWEEN operator requires same data type for lower and upper bounds";
    } else if (Compare(*low, *high) > 0) {
      complaint =
          "The BETWEEN operator requires upper bound to be greater than or equal to lower bound";
    } else {
      return std::nullopt;
    }
    return complaint + "; lower bound operand: " + BoundText(*low) +
           ", upper bound operand: " + BoundText(*high);
  }

  std::optional<std::string> CheckPath() const {
    const Operand& operand = operands_.front();
    if (operand.kind == Operand::Kind::kPath && !operand.is_size) return std::nullopt;
    return NeedsPath(OpName(node_.op));
  }

  std::optional<std::string> CheckAttributeType() const {
    const auto is_string = [](Type type) { return type == Type::kString; };
    if (auto complaint = CheckPath()) return complaint;
    if (auto complaint = CheckTypes(operands_.subspan(1), is_string)) return complaint;
    const item::Value* wanted = Constant(operands_[1]);
    if (wanted == nullptr || std::ranges::count(kTypeNames, wanted->string()) > 0) {
      return std::nullopt;
    }
    std::string names;
    for (const std::string_view name : kTypeNames) {
      if (!names.empty()) names += ",";
      names += name;
    }
    return "Invalid attribute type name found; type: " + wanted->string() + ", valid types: {" +
           names + "}";
  }

  const ParsedCondition& tree_;
  const Binding& binding_;
  const ParsedCondition::Node& node_;
  std::span<const Operand> operands_;
};

}  // namespace

Result<Binding> BindConditionTree(const ParsedCondition& tree, std::string_view parameter,
                                  Substitutions& substitutions) {
  TRY_ASSIGN(Binding binding, Bind(tree.references, parameter, substitutions));
  for (const ParsedCondition::Node& node : tree.nodes) {
    if (IsLogical(node.op)) continue;
    if (const auto complaint = OperandCheck(tree, binding, node).Run()) {
      return InvalidExpression(parameter, *complaint);
    }
  }
  return binding;
}

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
    return value != nullptr && other != nullptr && Equal(*value, *other);
  }

  bool IsOrderedBy(const Value* value, const Operand& operand,
                   bool (*wanted)(std::partial_ordering)) const {
    Value size;
    const Value* other = Find(operand, &size);
    return value != nullptr && other != nullptr && wanted(Compare(*value, *other));
  }

  // The operand's value, or nullptr if the item does not have it. `size` provides the memory for a
  // computed size.
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
    : tree_(std::move(tree)),
      binding_(std::move(binding)),
      mentioned_names_(binding_.MentionedNames(tree_->references)) {}

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

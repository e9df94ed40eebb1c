#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "expression/substitutions.h"

namespace monotable::expression {

enum class ConditionOp : uint8_t {
  kAnd,
  kOr,
  kNot,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kBetween,
  kIn,
  kAttributeExists,
  kAttributeNotExists,
  kAttributeType,
  kBeginsWith,
  kContains,
};

// "AND", "<=", "begins_with", … as expressions and messages write them.
std::string_view OpName(ConditionOp op);

inline bool IsLogical(ConditionOp op) {
  return op == ConditionOp::kAnd || op == ConditionOp::kOr || op == ConditionOp::kNot;
}

struct Operand {
  enum class Kind : uint8_t { kPath, kValue };

  Kind kind = Kind::kPath;
  bool is_size = false;  // size(…) of the path or value
  uint32_t slot = 0;     // of the references
};

// A condition without the names and values of a request. A node follows the nodes below it, so the
// root is the last node. A tree without nodes is always true.
struct ParsedCondition {
  struct Node {
    ConditionOp op = ConditionOp::kAnd;
    uint32_t first = 0;  // in children for logical operators, else in operands
    uint32_t count = 0;
  };

  References references;
  std::vector<Node> nodes;
  std::vector<uint32_t> children;
  std::vector<Operand> operands;

  std::span<const uint32_t> ChildrenOf(const Node& node) const {
    return std::span(children).subspan(node.first, node.count);
  }
  std::span<const Operand> OperandsOf(const Node& node) const {
    return std::span(operands).subspan(node.first, node.count);
  }

  // Both return the new node's position.
  uint32_t AddLogical(ConditionOp op, std::span<const uint32_t> below);
  uint32_t Add(ConditionOp op, std::span<const Operand> of);
};

// The tree of a condition's text, from this thread's cache if it is there. `parameter` names the
// expression in messages.
Result<std::shared_ptr<const ParsedCondition>> ParseConditionTree(std::string_view text,
                                                                  std::string_view parameter);

// Binds a tree and checks the operands that do not depend on an item: types of values, distinct
// operands, order of BETWEEN's bounds.
Result<Binding> BindConditionTree(const ParsedCondition& tree, std::string_view parameter,
                                  Substitutions& substitutions);

}  // namespace monotable::expression

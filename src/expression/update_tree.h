#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "expression/path.h"
#include "expression/substitutions.h"
#include "item/value.h"

namespace monotable::expression {

// An update without the names and values of a request.
struct ParsedUpdate {
  // What a SET action assigns, or ADD and DELETE add and delete.
  struct Operand {
    enum class Kind : uint8_t { kPath, kValue, kPlus, kMinus, kIfNotExists, kListAppend };

    Kind kind = Kind::kPath;
    // For kPath and kIfNotExists the slot of a path, for kValue the slot of a value, else the
    // position of an operand.
    uint32_t first = 0;
    uint32_t second = 0;  // the position of an operand
  };

  struct Action {
    enum class Kind : uint8_t { kSet, kRemove, kAdd, kDelete };

    Kind kind = Kind::kSet;
    uint32_t path = 0;     // the slot of the path it changes
    uint32_t operand = 0;  // its position; not meaningful for kRemove
  };

  References references;
  std::vector<Operand> operands;  // each after those it refers to
  std::vector<Action> actions;
  // AttributeUpdates can ADD to a list, and words its errors differently.
  bool is_legacy = false;

  // Returns the new operand's position.
  uint32_t AddOperand(Operand operand);
};

// The tree of an update's text, from this thread's cache if it is there.
Result<std::shared_ptr<const ParsedUpdate>> ParseUpdateTree(std::string_view text);

// The paths the actions change; two that overlap or conflict are an error.
Result<PathTree> UpdateTargets(const ParsedUpdate& update, const Binding& binding);

// Binds a tree and checks the types of operands that do not depend on an item.
Result<Binding> BindUpdateTree(const ParsedUpdate& update, Substitutions& substitutions);

// What ADD and DELETE do with sets.
bool IsSet(item::Type type);

// Both values must be sets of the same type, here and below.
item::Value Union(const item::Value& a, const item::Value& b);

// The members of a that are not in b; nullopt if there are none, because empty sets do not exist.
std::optional<item::Value> Difference(const item::Value& a, const item::Value& b);

}  // namespace monotable::expression

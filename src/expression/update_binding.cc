#include <optional>
#include <string>

#include "expression/parser.h"
#include "expression/set_algebra.h"
#include "expression/update_tree.h"

namespace monotable::expression {
namespace {

using item::Type;
using Action = ParsedUpdate::Action;
using UpdateOperand = ParsedUpdate::Operand;

constexpr std::string_view kUpdateParameter = "UpdateExpression";

// The message about ADD and DELETE spells types out, unlike all others.
std::string_view LongTypeName(Type type) {
  switch (type) {
    case Type::kString:
      return "STRING";
    case Type::kNumber:
      return "NUMBER";
    case Type::kBinary:
      return "BINARY";
    case Type::kBool:
      return "BOOLEAN";
    case Type::kNull:
      return "NULL";
    case Type::kMap:
      return "MAP";
    case Type::kList:
      return "LIST";
    case Type::kStringSet:
      return "STRING_SET";
    case Type::kNumberSet:
      return "NUMBER_SET";
    case Type::kBinarySet:
      return "BINARY_SET";
  }
  return "";
}

// The type of an operand as far as it is known without an item.
std::optional<Type> KnownType(const UpdateOperand& operand, const Binding& binding) {
  switch (operand.kind) {
    case UpdateOperand::Kind::kValue:
      return binding.values[operand.first]->type();
    case UpdateOperand::Kind::kPlus:
    case UpdateOperand::Kind::kMinus:
      return Type::kNumber;
    case UpdateOperand::Kind::kListAppend:
      return Type::kList;
    case UpdateOperand::Kind::kPath:
    case UpdateOperand::Kind::kIfNotExists:
      return std::nullopt;
  }
  return std::nullopt;
}

Status CheckOperand(const ParsedUpdate& update, const Binding& binding,
                    const UpdateOperand& operand) {
  std::string_view name;
  Type wanted = Type::kNumber;
  switch (operand.kind) {
    case UpdateOperand::Kind::kPlus:
      name = "+";
      break;
    case UpdateOperand::Kind::kMinus:
      name = "-";
      break;
    case UpdateOperand::Kind::kListAppend:
      name = "list_append";
      wanted = Type::kList;
      break;
    default:
      return {};
  }
  for (const uint32_t position : {operand.first, operand.second}) {
    const std::optional<Type> type = KnownType(update.operands[position], binding);
    if (type && *type != wanted)
      return InvalidExpression(kUpdateParameter, WrongOperandType(name, *type));
  }
  return {};
}

Status CheckAction(const ParsedUpdate& update, const Binding& binding, const Action& action) {
  if (action.kind != Action::Kind::kAdd && action.kind != Action::Kind::kDelete) return {};
  const bool adds = action.kind == Action::Kind::kAdd;
  const Type type = binding.values[update.operands[action.operand].first]->type();
  if (IsSet(type) || (adds && type == Type::kNumber)) return {};
  const std::string name = adds ? "ADD" : "DELETE";
  return InvalidExpression(kUpdateParameter,
                           "Incorrect operand type for operator or function; operator: " + name +
                               ", operand type: " + std::string(LongTypeName(type)) +
                               ", typeSet: ALLOWED_FOR_" + name + "_OPERAND");
}

}  // namespace

Result<PathTree> UpdateTargets(const ParsedUpdate& update, const Binding& binding) {
  std::vector<Path> paths;
  paths.reserve(update.actions.size());
  for (const Action& action : update.actions) {
    paths.push_back(binding.path(update.references, action.path));
  }
  return PathTree::Merge(paths, kUpdateParameter);
}

Result<Binding> BindUpdateTree(const ParsedUpdate& update, Substitutions& substitutions) {
  TRY_ASSIGN(Binding binding, Bind(update.references, kUpdateParameter, substitutions));
  for (const UpdateOperand& operand : update.operands) TRY(CheckOperand(update, binding, operand));
  for (const Action& action : update.actions) TRY(CheckAction(update, binding, action));
  return binding;
}

}  // namespace monotable::expression

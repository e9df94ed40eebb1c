#include "expression/update.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "expression/expression_parser.h"
#include "expression/update_tree.h"

namespace monotable::expression {
namespace {

// Calls `combine` with the members of both sets and wraps what it returns as a set of their type.
template <typename Combine>
item::Value Combined(const item::Value& a, const item::Value& b, Combine combine) {
  switch (a.type()) {
    case item::Type::kNumberSet:
      return item::Value(item::NumberSet{combine(a.number_set(), b.number_set())});
    case item::Type::kBinarySet:
      return item::Value(item::BinarySet{combine(a.binary_set(), b.binary_set())});
    default:
      return item::Value(item::StringSet{combine(a.string_set(), b.string_set())});
  }
}

bool IsEmptySet(const item::Value& set) {
  switch (set.type()) {
    case item::Type::kNumberSet:
      return set.number_set().empty();
    case item::Type::kBinarySet:
      return set.binary_set().empty();
    default:
      return set.string_set().empty();
  }
}

}  // namespace

bool IsSet(item::Type type) {
  return type == item::Type::kStringSet || type == item::Type::kNumberSet ||
         type == item::Type::kBinarySet;
}

item::Value Union(const item::Value& a, const item::Value& b) {
  return Combined(a, b, []<typename T>(const std::vector<T>& x, const std::vector<T>& y) {
    std::vector<T> members;
    members.reserve(x.size() + y.size());
    std::ranges::set_union(x, y, std::back_inserter(members));
    return members;
  });
}

std::optional<item::Value> Difference(const item::Value& a, const item::Value& b) {
  item::Value rest =
      Combined(a, b, []<typename T>(const std::vector<T>& x, const std::vector<T>& y) {
        std::vector<T> members;
        std::ranges::set_difference(x, y, std::back_inserter(members));
        return members;
      });
  if (IsEmptySet(rest)) return std::nullopt;
  return rest;
}

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

BoundUpdate::BoundUpdate(std::shared_ptr<const ParsedUpdate> parsed, Binding binding,
                         PathTree targets)
    : parsed_(std::move(parsed)),
      binding_(std::move(binding)),
      targets_(std::move(targets)),
      mentioned_names_(binding_.MentionedNames(parsed_->references)) {}

std::vector<std::string_view> BoundUpdate::TopLevelNames() const {
  std::vector<std::string_view> names;
  for (const Action& action : parsed_->actions) {
    names.push_back(binding_.path(parsed_->references, action.path).front().name);
  }
  return names;
}

size_t BoundUpdate::write_actions() const {
  return static_cast<size_t>(std::ranges::count_if(parsed_->actions, [](const Action& action) {
    return action.kind == Action::Kind::kSet || action.kind == Action::Kind::kAdd;
  }));
}

size_t BoundUpdate::clear_actions() const {
  return parsed_->actions.size() - write_actions();
}

Result<BoundUpdate> ParseUpdate(std::string_view text, Substitutions& substitutions) {
  TRY_ASSIGN(auto parsed, ParseUpdateTree(text));
  TRY_ASSIGN(Binding binding, BindUpdateTree(*parsed, substitutions));
  TRY_ASSIGN(PathTree targets, UpdateTargets(*parsed, binding));
  return BoundUpdate(std::move(parsed), std::move(binding), std::move(targets));
}

}  // namespace monotable::expression

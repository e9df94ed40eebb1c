#include "expression/update.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
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

namespace {

using item::Type;
using item::Value;
using Action = ParsedUpdate::Action;
using Operand = ParsedUpdate::Operand;

Error WrongDataType(const ParsedUpdate& update) {
  return Error::Validation(update.is_legacy
                               ? "Type mismatch for attribute to update"
                               : "An operand in the update expression has an incorrect data type");
}

Value Concatenate(const item::List& a, const item::List& b) {
  item::List all;
  all.reserve(a.size() + b.size());
  all.insert(all.end(), a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  return Value(std::move(all));
}

// One application of an update: first decides what each action makes of the old item, then changes
// the new item.
class Application {
 public:
  Application(const ParsedUpdate& update, const Binding& binding, const item::Item& old)
      : update_(update), binding_(binding), old_(old), new_(old) {}

  Result<item::Item> Run() {
    for (const Action& action : update_.actions) TRY(Decide(action));
    // Ascending, so that values set behind the end of a list are appended in the order of their
    // indexes; descending, so that a removal does not move what is still to be removed.
    std::ranges::sort(sets_, Before, &Change::path);
    std::ranges::sort(removals_, [](Path a, Path b) { return Before(b, a); });
    for (Change& change : sets_) Set(change.path, std::move(change.value));
    for (const Path path : removals_) Remove(path);
    return std::move(new_);
  }

 private:
  struct Change {
    Path path;
    Value value;
  };

  static bool Before(Path a, Path b) {
    return std::ranges::lexicographical_compare(
        a, b, [](const PathElement& x, const PathElement& y) {
          return std::tie(x.index, x.name) < std::tie(y.index, y.name);
        });
  }

  Status Decide(const Action& action);
  Status CheckTarget(Path path) const;
  Result<Value> Evaluate(uint32_t position) const;
  Result<Value> Arithmetic(const Operand& operand) const;
  Result<Value> Append(const Operand& operand) const;
  Result<Value> Sum(const Value* existing, const Value& added) const;

  // Sets a value in the new item at a path whose last container CheckTarget found in the old item.
  Value* FindNew(Path path);
  void Set(Path path, Value value);
  void Remove(Path path);

  const ParsedUpdate& update_;
  const Binding& binding_;
  const item::Item& old_;
  item::Item new_;
  std::vector<Change> sets_;
  std::vector<Path> removals_;
};

Status Application::Decide(const Action& action) {
  const Path path = binding_.path(update_.references, action.path);
  if (action.kind == Action::Kind::kSet) {
    TRY_ASSIGN(Value value, Evaluate(action.operand));
    TRY(CheckTarget(path));
    sets_.push_back({path, std::move(value)});
    return {};
  }
  TRY(CheckTarget(path));
  const Value* existing = Resolve(path, old_);
  if (action.kind == Action::Kind::kRemove) {
    if (existing != nullptr) removals_.push_back(path);
    return {};
  }
  const Value& operand = *binding_.values[update_.operands[action.operand].first];
  if (action.kind == Action::Kind::kAdd) {
    TRY_ASSIGN(Value sum, Sum(existing, operand));
    sets_.push_back({path, std::move(sum)});
    return {};
  }
  if (existing == nullptr) return {};
  if (existing->type() != operand.type()) return WrongDataType(update_);
  // There are no empty sets: deleting the last member deletes the attribute.
  if (std::optional<Value> rest = Difference(*existing, operand)) {
    sets_.push_back({path, *std::move(rest)});
  } else {
    removals_.push_back(path);
  }
  return {};
}

// The service never creates the maps and lists on the way to a nested path.
Status Application::CheckTarget(Path path) const {
  if (path.size() == 1) return {};
  const Value* container = Resolve(path.first(path.size() - 1), old_);
  const Type wanted = path.back().index ? Type::kList : Type::kMap;
  if (container != nullptr && container->is(wanted)) return {};
  return Error::Validation(
      "The document path provided in the update expression is invalid for update");
}

Result<Value> Application::Evaluate(uint32_t position) const {
  const Operand& operand = update_.operands[position];
  switch (operand.kind) {
    case Operand::Kind::kValue:
      return *binding_.values[operand.first];
    case Operand::Kind::kPlus:
    case Operand::Kind::kMinus:
      return Arithmetic(operand);
    case Operand::Kind::kListAppend:
      return Append(operand);
    case Operand::Kind::kPath:
    case Operand::Kind::kIfNotExists:
      break;
  }
  const Value* existing = Resolve(binding_.path(update_.references, operand.first), old_);
  if (existing != nullptr) return *existing;
  if (operand.kind == Operand::Kind::kIfNotExists) return Evaluate(operand.second);
  return Error::Validation(
      "The provided expression refers to an attribute that does not exist in the item");
}

Result<Value> Application::Arithmetic(const Operand& operand) const {
  TRY_ASSIGN(const Value left, Evaluate(operand.first));
  TRY_ASSIGN(const Value right, Evaluate(operand.second));
  if (!left.is(Type::kNumber) || !right.is(Type::kNumber)) return WrongDataType(update_);
  const auto compute =
      operand.kind == Operand::Kind::kPlus ? item::Number::Add : item::Number::Subtract;
  TRY_ASSIGN(const item::Number number, compute(left.number(), right.number()));
  return Value(number);
}

Result<Value> Application::Append(const Operand& operand) const {
  TRY_ASSIGN(const Value left, Evaluate(operand.first));
  TRY_ASSIGN(const Value right, Evaluate(operand.second));
  if (!left.is(Type::kList) || !right.is(Type::kList)) return WrongDataType(update_);
  return Concatenate(left.list(), right.list());
}

// ADD works on numbers, sets and, in AttributeUpdates, lists. Where there is no value yet, the
// operand becomes the value.
Result<Value> Application::Sum(const Value* existing, const Value& added) const {
  if (existing == nullptr) return added;
  if (existing->type() != added.type()) return WrongDataType(update_);
  if (added.is(Type::kList)) return Concatenate(existing->list(), added.list());
  if (!added.is(Type::kNumber)) return Union(*existing, added);
  TRY_ASSIGN(const item::Number sum, item::Number::Add(existing->number(), added.number()));
  return Value(sum);
}

Value* Application::FindNew(Path path) {
  Value* value = new_.Find(path.front().name);
  for (const PathElement& element : path.subspan(1)) {
    value = element.index ? &value->list()[*element.index] : value->map().Find(element.name);
  }
  return value;
}

void Application::Set(Path path, Value value) {
  const PathElement& last = path.back();
  if (path.size() == 1) {
    new_.Set(last.name, std::move(value));
    return;
  }
  Value* container = FindNew(path.first(path.size() - 1));
  if (!last.index) {
    container->map().Set(last.name, std::move(value));
    return;
  }
  item::List& list = container->list();
  // An index beyond the end of the old list appends.
  const size_t old_size = Resolve(path.first(path.size() - 1), old_)->list().size();
  if (*last.index < old_size) {
    list[*last.index] = std::move(value);
  } else {
    list.push_back(std::move(value));
  }
}

void Application::Remove(Path path) {
  const PathElement& last = path.back();
  if (path.size() == 1) {
    new_.Remove(last.name);
    return;
  }
  Value* container = FindNew(path.first(path.size() - 1));
  if (last.index) {
    item::List& list = container->list();
    list.erase(list.begin() + static_cast<item::List::difference_type>(*last.index));
  } else {
    container->map().Remove(last.name);
  }
}

}  // namespace

BoundUpdate::BoundUpdate(std::shared_ptr<const ParsedUpdate> parsed, Binding binding,
                         PathTree targets)
    : parsed_(std::move(parsed)), binding_(std::move(binding)), targets_(std::move(targets)) {}

Result<item::Item> BoundUpdate::Apply(const item::Item& old) const {
  return Application(*parsed_, binding_, old).Run();
}

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

#include "simulation/expression.h"

#include <algorithm>
#include <utility>

namespace monotable::simulation {
namespace {

using Kind = Value::Kind;

bool Contains(const Value& container, const Value& member) {
  switch (container.kind) {
    case Kind::kString:
      return member.kind == Kind::kString && container.text.find(member.text) != std::string::npos;
    case Kind::kBinary:
      return member.kind == Kind::kBinary && container.text.find(member.text) != std::string::npos;
    case Kind::kList:
      return std::find(container.list.begin(), container.list.end(), member) !=
             container.list.end();
    case Kind::kStringSet:
      return member.kind == Kind::kString && container.strings.contains(member.text);
    case Kind::kNumberSet:
      return member.kind == Kind::kNumber && container.numbers.contains(member.number);
    default:
      return false;
  }
}

// size() of the kinds that have one; strings here are ASCII.
std::optional<size_t> CountOf(const Value& value) {
  switch (value.kind) {
    case Kind::kString:
    case Kind::kBinary:
      return value.text.size();
    case Kind::kMap:
      return value.map.size();
    case Kind::kList:
      return value.list.size();
    case Kind::kStringSet:
      return value.strings.size();
    case Kind::kNumberSet:
      return value.numbers.size();
    default:
      return std::nullopt;
  }
}

// Whether two values have an order; without one every comparison is false.
bool Comparable(const Value& a, const Value& b) {
  return a.kind == b.kind && IsOrdered(a.kind);
}

// Where a path leads for a write: the container must be there, the last step need not be.
Value* Container(Item* item, const Path& path) {
  const auto found = item->find(path.front().name);
  if (found == item->end()) return nullptr;
  Value& value = found->second;
  const bool fits = path[1].position ? value.kind == Kind::kList : value.kind == Kind::kMap;
  return fits ? &value : nullptr;
}

bool Write(Item* item, const Path& path, Value value) {
  if (path.size() == 1) {
    (*item)[path.front().name] = std::move(value);
    return true;
  }
  Value* container = Container(item, path);
  if (container == nullptr) return false;
  if (!path[1].position) {
    container->map[path[1].name] = std::move(value);
  } else if (*path[1].position < container->list.size()) {
    container->list[*path[1].position] = std::move(value);
  } else {
    container->list.push_back(std::move(value));
  }
  return true;
}

bool Remove(Item* item, const Path& path) {
  if (path.size() == 1) {
    item->erase(path.front().name);
    return true;
  }
  Value* container = Container(item, path);
  if (container == nullptr) return false;
  if (!path[1].position) {
    container->map.erase(path[1].name);
  } else if (*path[1].position < container->list.size()) {
    container->list.erase(container->list.begin() + static_cast<ptrdiff_t>(*path[1].position));
  }
  return true;
}

bool Add(Item* item, const std::string& name, const Value& operand) {
  const auto found = item->find(name);
  if (found == item->end()) {
    (*item)[name] = operand;
    return true;
  }
  if (found->second.kind != operand.kind) return false;
  found->second.number += operand.number;
  found->second.strings.insert(operand.strings.begin(), operand.strings.end());
  found->second.numbers.insert(operand.numbers.begin(), operand.numbers.end());
  return true;
}

bool Delete(Item* item, const std::string& name, const Value& operand) {
  const auto found = item->find(name);
  if (found == item->end()) return true;
  if (found->second.kind != operand.kind) return false;
  for (const std::string& member : operand.strings) found->second.strings.erase(member);
  for (const int64_t member : operand.numbers) found->second.numbers.erase(member);
  if (found->second.strings.empty() && found->second.numbers.empty()) item->erase(found);
  return true;
}

bool Perform(const Action& action, const Item& old, Item* item) {
  const Value* current = Find(old, action.path);
  switch (action.op) {
    case Action::Op::kSet:
      return Write(item, action.path, action.operand);
    case Action::Op::kSetIfAbsent:
      return Write(item, action.path, current != nullptr ? *current : action.operand);
    case Action::Op::kIncrement:
      if (current == nullptr || current->kind != Kind::kNumber) return false;
      return Write(item, action.path, Value::Number(current->number + action.operand.number));
    case Action::Op::kAppend: {
      if (current == nullptr || current->kind != Kind::kList) return false;
      std::vector<Value> list = current->list;
      list.insert(list.end(), action.operand.list.begin(), action.operand.list.end());
      return Write(item, action.path, Value::List(std::move(list)));
    }
    case Action::Op::kCopy: {
      const Value* source = Find(old, action.source);
      return source != nullptr && Write(item, action.path, *source);
    }
    case Action::Op::kRemove:
      return Remove(item, action.path);
    case Action::Op::kAdd:
      return Add(item, action.path.front().name, action.operand);
    case Action::Op::kDelete:
      return Delete(item, action.path.front().name, action.operand);
  }
  return false;
}

std::string_view ClauseOf(Action::Op op) {
  switch (op) {
    case Action::Op::kRemove:
      return "REMOVE";
    case Action::Op::kAdd:
      return "ADD";
    case Action::Op::kDelete:
      return "DELETE";
    default:
      return "SET";
  }
}

std::string PrintAction(const Action& action, Placeholders* placeholders) {
  const std::string path = placeholders->Print(action.path);
  switch (action.op) {
    case Action::Op::kSet:
      return path + " = " + placeholders->Value(action.operand);
    case Action::Op::kSetIfAbsent:
      return path + " = if_not_exists(" + path + ", " + placeholders->Value(action.operand) + ")";
    case Action::Op::kIncrement:
      return path + " = " + path + " + " + placeholders->Value(action.operand);
    case Action::Op::kAppend:
      return path + " = list_append(" + path + ", " + placeholders->Value(action.operand) + ")";
    case Action::Op::kCopy:
      return path + " = " + placeholders->Print(action.source);
    case Action::Op::kRemove:
      return path;
    case Action::Op::kAdd:
    case Action::Op::kDelete:
      return path + " " + placeholders->Value(action.operand);
  }
  return path;
}

}  // namespace

std::string Placeholders::Name(const std::string& name) {
  return names_.emplace(name, "#n" + std::to_string(names_.size())).first->second;
}

std::string Placeholders::Value(const simulation::Value& value) {
  values_.push_back(value);
  return ":v" + std::to_string(values_.size() - 1);
}

std::string Placeholders::Print(const Path& path) {
  std::string text;
  for (const Step& step : path) {
    if (step.position) {
      text += "[" + std::to_string(*step.position) + "]";
    } else {
      text += (text.empty() ? "" : ".") + Name(step.name);
    }
  }
  return text;
}

operations::ExpressionAttributes Placeholders::attributes() const {
  operations::ExpressionAttributes attributes;
  if (!names_.empty()) {
    attributes.names.emplace();
    for (const auto& [meaning, name] : names_) attributes.names->emplace(name, meaning);
  }
  if (!values_.empty()) {
    attributes.values.emplace();
    for (size_t i = 0; i < values_.size(); ++i) {
      attributes.values->emplace(":v" + std::to_string(i), ToServer(values_[i]));
    }
  }
  return attributes;
}

bool Condition::Holds(const Item& item) const {
  const auto holds = [&](const Condition& part) { return part.Holds(item); };
  if (op == Op::kAnd) return std::all_of(parts.begin(), parts.end(), holds);
  if (op == Op::kOr) return std::any_of(parts.begin(), parts.end(), holds);
  if (op == Op::kNot) return !holds(parts.front());

  const Value* value = Find(item, path);
  if (op == Op::kNotExists) return value == nullptr;
  if (op == Op::kNotEqual) return value == nullptr || *value != operands[0];
  if (value == nullptr) return false;
  const bool ordered = !operands.empty() && Comparable(*value, operands[0]);
  const int order = ordered ? Compare(*value, operands[0]) : 0;
  switch (op) {
    case Op::kExists:
      return true;
    case Op::kEqual:
      return *value == operands[0];
    case Op::kLess:
      return ordered && order < 0;
    case Op::kLessEqual:
      return ordered && order <= 0;
    case Op::kGreater:
      return ordered && order > 0;
    case Op::kGreaterEqual:
      return ordered && order >= 0;
    case Op::kBetween:
      return ordered && order >= 0 && Compare(*value, operands[1]) <= 0;
    case Op::kIn:
      return std::find(operands.begin(), operands.end(), *value) != operands.end();
    case Op::kBeginsWith:
      return value->kind == operands[0].kind && value->text.starts_with(operands[0].text);
    case Op::kContains:
      return Contains(*value, operands[0]);
    case Op::kHasType:
      return TypeCode(value->kind) == operands[0].text;
    case Op::kSizeGreater: {
      const auto size = CountOf(*value);
      return size && static_cast<int64_t>(*size) * 100 > operands[0].number;
    }
    default:
      return false;
  }
}

std::string Condition::Print(Placeholders* placeholders) const {
  if (op == Op::kAnd || op == Op::kOr || op == Op::kNot) {
    std::string text = op == Op::kNot ? "NOT " : "";
    for (const Condition& part : parts) {
      if (&part != &parts.front()) text += op == Op::kAnd ? " AND " : " OR ";
      const bool wrap = part.op == Op::kAnd || part.op == Op::kOr;
      text += (wrap ? "(" : "") + part.Print(placeholders) + (wrap ? ")" : "");
    }
    return text;
  }
  const std::string left = placeholders->Print(path);
  std::vector<std::string> values;
  for (const Value& operand : operands) values.push_back(placeholders->Value(operand));
  switch (op) {
    case Op::kExists:
      return "attribute_exists(" + left + ")";
    case Op::kNotExists:
      return "attribute_not_exists(" + left + ")";
    case Op::kEqual:
      return left + " = " + values[0];
    case Op::kNotEqual:
      return left + " <> " + values[0];
    case Op::kLess:
      return left + " < " + values[0];
    case Op::kLessEqual:
      return left + " <= " + values[0];
    case Op::kGreater:
      return left + " > " + values[0];
    case Op::kGreaterEqual:
      return left + " >= " + values[0];
    case Op::kBetween:
      return left + " BETWEEN " + values[0] + " AND " + values[1];
    case Op::kBeginsWith:
      return "begins_with(" + left + ", " + values[0] + ")";
    case Op::kContains:
      return "contains(" + left + ", " + values[0] + ")";
    case Op::kHasType:
      return "attribute_type(" + left + ", " + values[0] + ")";
    case Op::kSizeGreater:
      return "size(" + left + ") > " + values[0];
    default:
      break;
  }
  std::string list;
  for (const std::string& value : values) list += (list.empty() ? "" : ", ") + value;
  return left + " IN (" + list + ")";
}

std::optional<Item> Update::Apply(const Item& old) const {
  Item item = old;
  for (const Action& action : actions) {
    if (!Perform(action, old, &item)) return std::nullopt;
  }
  return item;
}

std::string Update::Print(Placeholders* placeholders) const {
  std::string text;
  for (const std::string_view clause : {"SET", "REMOVE", "ADD", "DELETE"}) {
    bool first = true;
    for (const Action& action : actions) {
      if (ClauseOf(action.op) != clause) continue;
      text += first ? (text.empty() ? "" : " ") + std::string(clause) + " " : ", ";
      text += PrintAction(action, placeholders);
      first = false;
    }
  }
  return text;
}

std::vector<Path> Update::paths() const {
  std::vector<Path> all;
  for (const Action& action : actions) all.push_back(action.path);
  return all;
}

}  // namespace monotable::simulation

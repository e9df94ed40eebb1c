#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "expression/update.h"
#include "expression/update_tree.h"
#include "item/value.h"
#include "work/meter.h"

namespace monotable::expression {
namespace {

using item::Type;
using item::Value;
using Action = ParsedUpdate::Action;
using UpdateOperand = ParsedUpdate::Operand;

Error WrongDataType(const ParsedUpdate& update) {
  return Error::Validation(update.is_legacy
                               ? "Type mismatch for attribute to update"
                               : "An operand in the update expression has an incorrect data type");
}

// All values that an update sets are parts of the new item, so past this many bytes the item is
// certainly too large. The limit of an item is checked exactly when the item is complete.
constexpr size_t kMaxTakenBytes = 2 * item::kMaxItemBytes;

Value Concatenate(item::List first, item::List second) {
  first.insert(first.end(), std::make_move_iterator(second.begin()),
               std::make_move_iterator(second.end()));
  return Value(std::move(first));
}

// Removes the elements at these places, which ascend and are in the list.
void RemoveElements(item::List* list, std::span<const Path> paths) {
  auto next = paths.begin();
  auto kept = list->begin() + static_cast<item::List::difference_type>(*next->back().index);
  for (auto from = kept; from != list->end(); ++from) {
    const auto place = static_cast<size_t>(from - list->begin());
    if (next != paths.end() && place == *next->back().index) {
      ++next;
    } else {
      *kept++ = std::move(*from);
    }
  }
  list->erase(kept, list->end());
}

// One application of an update: first decides what each action makes of the old item, then changes
// the item.
class Application {
 public:
  Application(const ParsedUpdate& update, const Binding& binding, item::Item old)
      : update_(update), binding_(binding), item_(std::move(old)) {}

  Result<item::Item> Run() {
    for (const Action& action : update_.actions) TRY(Decide(action));
    if (too_large_) {
      return Error::Validation("Item size to update has exceeded the maximum allowed size");
    }
    // What is to be changed in one map or list is changed at once, because each change alone may
    // move all its members. What is deeper comes first: it is found by old places.
    std::ranges::sort(sets_, ComesFirst, &Change::path);
    std::ranges::sort(removals_, ComesFirst);
    ForEachContainer(sets_, &Change::path, [this](std::span<Change> sets) { Set(sets); });
    ForEachContainer(removals_, std::identity(), [this](std::span<Path> paths) { Remove(paths); });
    return std::move(item_);
  }

 private:
  struct Change {
    Path path;
    Value value;
  };

  // Longer paths first, and those of equal length in order, so that the changes of one container
  // are together. Values set behind the end of a list are appended in the order of their indexes.
  static bool ComesFirst(Path a, Path b) {
    if (a.size() != b.size()) return a.size() > b.size();
    return std::ranges::lexicographical_compare(
        a, b, [](const PathElement& x, const PathElement& y) {
          return std::tie(x.index, x.name) < std::tie(y.index, y.name);
        });
  }

  template <typename T, typename PathOf, typename Do>
  static void ForEachContainer(std::vector<T>& changes, PathOf path_of, Do action) {
    for (auto from = changes.begin(); from != changes.end();) {
      const Path first = std::invoke(path_of, *from);
      const Path container = first.first(first.size() - 1);
      const auto to = std::find_if(from + 1, changes.end(), [&](const T& change) {
        const Path path = std::invoke(path_of, change);
        return path.size() != first.size() || !SamePath(path.first(path.size() - 1), container);
      });
      action(std::span<T>(from, to));
      from = to;
    }
  }

  Status Decide(const Action& action);
  Status CheckTarget(Path path) const;
  Result<Value> Evaluate(uint32_t position);
  Result<Value> Arithmetic(const UpdateOperand& operand);
  Result<Value> Append(const UpdateOperand& operand);
  Result<Value> Sum(const Value* existing, const Value& added);
  Value Take(const Value& value);

  // The containers whose members change are those of the old item, as CheckTarget has found.
  Value* FindContainer(Path path);
  void Set(std::span<Change> sets);
  void Remove(std::span<Path> paths);

  const ParsedUpdate& update_;
  const Binding& binding_;
  item::Item item_;
  std::vector<Change> sets_;
  std::vector<Path> removals_;
  size_t taken_ = 0;        // the bytes of the values to be set
  bool too_large_ = false;  // they are too many; what follows is only checked
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
  const Value* existing = Resolve(path, item_);
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
  if (!work::Charge(item::SizeOf(*existing) + item::SizeOf(operand))) return {};
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
  const Value* container = Resolve(path.first(path.size() - 1), item_);
  const Type wanted = path.back().index ? Type::kList : Type::kMap;
  if (container != nullptr && container->is(wanted)) return {};
  return Error::Validation(
      "The document path provided in the update expression is invalid for update");
}

// A copy of a value for the new item. When the new item is too large, only the type still matters,
// which decides about the error.
Value Application::Take(const Value& value) {
  if (value.is(Type::kNumber)) return value;
  if (!too_large_) {
    const size_t size = item::SizeOf(value);
    taken_ += size;
    too_large_ = taken_ > kMaxTakenBytes || !work::Charge(size);
  }
  if (!too_large_) return value;
  return value.is(Type::kList) ? Value(item::List()) : Value();
}

Result<Value> Application::Evaluate(uint32_t position) {
  const UpdateOperand& operand = update_.operands[position];
  switch (operand.kind) {
    case UpdateOperand::Kind::kValue:
      return Take(*binding_.values[operand.first]);
    case UpdateOperand::Kind::kPlus:
    case UpdateOperand::Kind::kMinus:
      return Arithmetic(operand);
    case UpdateOperand::Kind::kListAppend:
      return Append(operand);
    case UpdateOperand::Kind::kPath:
    case UpdateOperand::Kind::kIfNotExists:
      break;
  }
  const Value* existing = Resolve(binding_.path(update_.references, operand.first), item_);
  if (existing != nullptr) return Take(*existing);
  if (operand.kind == UpdateOperand::Kind::kIfNotExists) return Evaluate(operand.second);
  return Error::Validation(
      "The provided expression refers to an attribute that does not exist in the item");
}

Result<Value> Application::Arithmetic(const UpdateOperand& operand) {
  TRY_ASSIGN(const Value left, Evaluate(operand.first));
  TRY_ASSIGN(const Value right, Evaluate(operand.second));
  if (!left.is(Type::kNumber) || !right.is(Type::kNumber)) return WrongDataType(update_);
  const auto compute =
      operand.kind == UpdateOperand::Kind::kPlus ? item::Number::Add : item::Number::Subtract;
  TRY_ASSIGN(const item::Number number, compute(left.number(), right.number()));
  return Value(number);
}

Result<Value> Application::Append(const UpdateOperand& operand) {
  TRY_ASSIGN(Value left, Evaluate(operand.first));
  TRY_ASSIGN(Value right, Evaluate(operand.second));
  if (!left.is(Type::kList) || !right.is(Type::kList)) return WrongDataType(update_);
  return Concatenate(std::move(left.list()), std::move(right.list()));
}

// ADD works on numbers, sets and, in AttributeUpdates, lists. Where there is no value yet, the
// operand becomes the value.
Result<Value> Application::Sum(const Value* existing, const Value& added) {
  if (existing == nullptr) return Take(added);
  if (existing->type() != added.type()) return WrongDataType(update_);
  if (added.is(Type::kNumber)) {
    TRY_ASSIGN(const item::Number sum, item::Number::Add(existing->number(), added.number()));
    return Value(sum);
  }
  Value first = Take(*existing);
  if (added.is(Type::kList)) {
    Value second = Take(added);
    return Concatenate(std::move(first.list()), std::move(second.list()));
  }
  if (too_large_ || !work::Charge(item::SizeOf(added))) return first;
  return Union(first, added);
}

Value* Application::FindContainer(Path path) {
  Value* value = item_.Find(path.front().name);
  for (const PathElement& element : path.subspan(1, path.size() - 2)) {
    value = element.index ? &value->list()[*element.index] : value->map().Find(element.name);
  }
  return value;
}

void Application::Set(std::span<Change> sets) {
  const Path first = sets.front().path;
  Value* const container = first.size() == 1 ? nullptr : FindContainer(first);
  if (first.back().index) {
    item::List& list = container->list();
    const size_t old_size = list.size();
    for (Change& set : sets) {
      // An index beyond the end of the old list appends.
      if (const size_t place = *set.path.back().index; place < old_size) {
        list[place] = std::move(set.value);
      } else {
        list.push_back(std::move(set.value));
      }
    }
    return;
  }
  item::Map::Attributes attributes;
  attributes.reserve(sets.size());
  for (Change& set : sets) {
    attributes.push_back({std::string(set.path.back().name), std::move(set.value)});
  }
  (container == nullptr ? item_ : container->map()).SetAll(std::move(attributes));
}

void Application::Remove(std::span<Path> paths) {
  const Path first = paths.front();
  Value* const container = first.size() == 1 ? nullptr : FindContainer(first);
  if (first.back().index) return RemoveElements(&container->list(), paths);
  std::vector<std::string_view> names;
  names.reserve(paths.size());
  for (const Path path : paths) names.push_back(path.back().name);
  (container == nullptr ? item_ : container->map()).RemoveAll(names);
}

}  // namespace

Result<item::Item> BoundUpdate::Apply(item::Item old) const {
  return Application(*parsed_, binding_, std::move(old)).Run();
}

}  // namespace monotable::expression

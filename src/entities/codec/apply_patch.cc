#include <algorithm>
#include <string>
#include <utility>

#include "entities/codec/codec.h"
#include "entities/codec/context.h"

// What a patch makes of attributes.
namespace monotable::entities {
namespace {

using item::Type;
using item::Value;

// RFC 7396: objects are merged member by member, a null takes its member away, and everything else
// replaces what there was.
void Merge(const item::Map& patch, item::Map* target) {
  for (const item::Attribute& change : patch) {
    if (change.value.is(Type::kNull)) {
      target->Remove(change.name);
    } else if (change.value.is(Type::kMap)) {
      Value* old = target->Find(change.name);
      if (old == nullptr || !old->is(Type::kMap)) {
        target->Set(change.name, Value(item::Map()));
        old = target->Find(change.name);
      }
      Merge(change.value.map(), &old->map());
    } else {
      target->Set(change.name, change.value);
    }
  }
}

void Remove(std::string_view path, item::Map* target) {
  const size_t dot = path.find('.');
  if (dot == std::string_view::npos) {
    target->Remove(path);
    return;
  }
  Value* inner = target->Find(path.substr(0, dot));
  if (inner != nullptr && inner->is(Type::kMap)) Remove(path.substr(dot + 1), &inner->map());
}

// The map that holds the last name of the path, made if it is missing; null if something on the way
// is no map.
item::Map* FindHolder(std::string_view path, item::Map* target, std::string_view* last) {
  const size_t dot = path.find('.');
  *last = path.substr(0, dot);
  if (dot == std::string_view::npos) return target;
  if (!target->Contains(*last)) target->Set(*last, Value(item::Map()));
  Value* inner = target->Find(*last);
  if (!inner->is(Type::kMap)) return nullptr;
  return FindHolder(path.substr(dot + 1), &inner->map(), last);
}

template <typename Member>
std::vector<Member> Union(std::vector<Member> a, const std::vector<Member>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// The sum of two numbers or the union of two sets; nothing if they are of different types.
Result<std::optional<Value>> Sum(const Value& a, const Value& b) {
  if (a.type() != b.type()) return std::optional<Value>();
  switch (a.type()) {
    case Type::kNumber: {
      TRY_ASSIGN(const item::Number sum, item::Number::Add(a.number(), b.number()));
      return std::optional(Value(sum));
    }
    case Type::kStringSet:
      return std::optional(Value(item::MakeStringSet(Union(a.string_set(), b.string_set()))));
    case Type::kNumberSet:
      return std::optional(Value(item::MakeNumberSet(Union(a.number_set(), b.number_set()))));
    case Type::kBinarySet:
      return std::optional(Value(item::MakeBinarySet(Union(a.binary_set(), b.binary_set()))));
    default:
      return std::optional<Value>();
  }
}

Error CannotChange(const char* command, const std::string& attribute, const std::string& why) {
  return InvalidFields({{std::string("/") + command + "/" + attribute, "type",
                         attribute + " cannot be changed with " + command + ": " + why}});
}

Status Add(const item::Attribute& change, item::Map* target) {
  std::string_view name;
  item::Map* holder = FindHolder(change.name, target, &name);
  if (holder == nullptr) return CannotChange("$add", change.name, "it is not in an object.");
  Value* old = holder->Find(name);
  if (old == nullptr) {
    holder->Set(name, change.value);
    return {};
  }
  auto sum = Sum(*old, change.value);
  if (!sum) return CannotChange("$add", change.name, sum.error().message() + ".");
  if (!*sum) {
    const char* expected = change.value.is(Type::kNumber) ? "number" : "set of that type";
    return CannotChange("$add", change.name, std::string("what is stored is no ") + expected + ".");
  }
  *old = std::move(**sum);
  return {};
}

Status Append(const item::Attribute& change, item::Map* target) {
  std::string_view name;
  item::Map* holder = FindHolder(change.name, target, &name);
  if (holder == nullptr) return CannotChange("$append", change.name, "it is not in an object.");
  Value* old = holder->Find(name);
  if (old == nullptr) {
    holder->Set(name, change.value);
    return {};
  }
  if (!old->is(Type::kList) || !change.value.is(Type::kList)) {
    return CannotChange("$append", change.name, "what is stored is no list.");
  }
  const item::List& more = change.value.list();
  old->list().insert(old->list().end(), more.begin(), more.end());
  return {};
}

}  // namespace

Result<item::Map> ApplyPatch(const Entity& /*entity*/, const item::Map& attributes,
                             const Patch& patch) {
  item::Map changed = attributes;
  for (const std::string& path : patch.remove) Remove(path, &changed);
  Merge(patch.set, &changed);
  for (const item::Attribute& change : patch.add) TRY(Add(change, &changed));
  for (const item::Attribute& change : patch.append) TRY(Append(change, &changed));
  return changed;
}

}  // namespace monotable::entities

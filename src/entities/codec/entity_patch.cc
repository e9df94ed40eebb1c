#include <algorithm>
#include <string>
#include <utility>

#include "entities/codec/codec.h"
#include "entities/codec/decode_value.h"
#include "entities/codec/field_check.h"
#include "entities/codec/field_path.h"

namespace monotable::entities {
namespace {

using item::Value;
using model::TypeKind;
using model::TypeModel;

// Reads one patch; used once.
class PatchDecoder {
 public:
  PatchDecoder(const Entity& entity, const DecodeOptions& options)
      : entity_(entity),
        options_(options),
        context_{*entity.application, entity.model->unknown_attributes, &problems_},
        decoder_(context_, ValueDecoder::Extent::kPart) {}

  Result<Patch> Decode(const json::Node& body) && {
    const FieldPath root(options_.path);
    if (IsObject(context_, body, root)) {
      for (const json::Member& member : body.members) {
        const FieldPath path(root, member.name);
        if (member.name.starts_with('$')) {
          DecodeCommand(member, path);
        } else {
          DecodeMember(member, path);
        }
      }
      CheckKeyTexts(context_, entity_, patch_.set, root);
    }
    if (!problems_.empty()) return InvalidFields(std::move(problems_));
    return std::move(patch_);
  }

 private:
  void DecodeMember(const json::Member& member, const FieldPath& path) {
    const Fate fate = FateOf(context_, entity_, member.name, options_.strict, path);
    if (fate != Fate::kKnown && fate != Fate::kUnknown) return;
    auto value = fate == Fate::kKnown
                     ? decoder_.Decode(entity_.model->Find(member.name)->type, member.value, path)
                     : decoder_.DecodeAny(member.value, path);
    if (!value || !IsFirstChange(member.name, path)) return;
    if (value->is(item::Type::kNull)) {
      patch_.remove.emplace_back(member.name);
    } else {
      patch_.set.Set(member.name, std::move(*value));
    }
  }

  void DecodeCommand(const json::Member& member, const FieldPath& path) {
    if (member.name == "$add") {
      DecodeChanges(member.value, path, &PatchDecoder::CanBeAdded, &patch_.add);
    } else if (member.name == "$append") {
      DecodeChanges(member.value, path, &PatchDecoder::CanBeAppended, &patch_.append);
    } else if (member.name == "$remove") {
      DecodeRemovals(member.value, path);
    } else {
      context_.Report(path, "unknown",
                      "is no change; there are $add, $append and $remove" +
                          DidYouMean(member.name, {"$add", "$append", "$remove"}));
    }
  }

  // The members of $add and $append, each of which must be of an attribute that can take it.
  void DecodeChanges(const json::Node& changes, const FieldPath& path,
                     bool (PatchDecoder::*fits)(const Value&, const FieldPath&),
                     item::Map* decoded) {
    if (!IsObject(context_, changes, path)) return;
    for (const json::Member& member : changes.members) {
      const FieldPath member_path(path, member.name);
      const TypeModel* type = FindChanged(member.name, member_path);
      if (type == nullptr) continue;
      auto value = decoder_.DecodeChange(*type, member.value, member_path);
      if (!value || value->is(item::Type::kNull)) continue;
      if (!(this->*fits)(*value, member_path) || !IsFirstChange(member.name, member_path)) continue;
      decoded->Set(member.name, std::move(*value));
    }
  }

  bool CanBeAdded(const Value& value, const FieldPath& path) {
    switch (value.type()) {
      case item::Type::kNumber:
      case item::Type::kStringSet:
      case item::Type::kNumberSet:
      case item::Type::kBinarySet:
        return true;
      default:
        context_.Report(path, "type", "is neither a number nor a set, so nothing can be added");
        return false;
    }
  }

  bool CanBeAppended(const Value& value, const FieldPath& path) {
    if (value.is(item::Type::kList)) return true;
    context_.Report(path, "type", "is not a list, so nothing can be appended");
    return false;
  }

  void DecodeRemovals(const json::Node& paths, const FieldPath& path) {
    if (!paths.is_array()) {
      context_.Report(path, "type", "must be a list of attributes");
      return;
    }
    for (size_t i = 0; i < paths.items.size(); ++i) {
      const json::Node& removed = paths.items[i];
      const FieldPath member_path(path, i);
      if (!removed.is_string()) {
        context_.Report(member_path, "type", "must be the name of an attribute");
        continue;
      }
      if (FindChanged(removed.text, member_path) == nullptr ||
          !IsFirstChange(removed.text, member_path)) {
        continue;
      }
      patch_.remove.emplace_back(removed.text);
    }
  }

  // The type of an attribute that a command names. A command that is ignored would be a surprise,
  // so read-only attributes are refused here whatever the options say.
  const TypeModel* FindChanged(std::string_view attribute_path, const FieldPath& path) {
    const std::string_view attribute = attribute_path.substr(0, attribute_path.find('.'));
    const Fate fate = FateOf(context_, entity_, attribute, /*strict=*/true, path);
    if (fate == Fate::kReported) return nullptr;
    if (fate == Fate::kKnown) {
      const TypeModel* type = entity_.model->FindPath(attribute_path);
      if (type != nullptr) return type;
    }
    if (fate == Fate::kUnknown) {
      static const TypeModel any = [] {
        TypeModel type;
        type.kind = TypeKind::kAny;
        return type;
      }();
      return &any;
    }
    context_.Report(path, "unknown",
                    "names " + std::string(attribute_path) + ", which is not in the model");
    return nullptr;
  }

  // An attribute may have one change: with two, their order would decide, and members of JSON have
  // no order.
  bool IsFirstChange(std::string_view attribute, const FieldPath& path) {
    const auto overlaps = [attribute](std::string_view other) {
      const auto within = [](std::string_view inner, std::string_view outer) {
        return inner.starts_with(outer) &&
               (inner.size() == outer.size() || inner[outer.size()] == '.');
      };
      return within(attribute, other) || within(other, attribute);
    };
    if (std::any_of(changed_.begin(), changed_.end(), overlaps)) {
      context_.Report(path, "conflict", "is changed twice");
      return false;
    }
    changed_.push_back(attribute);
    return true;
  }

  const Entity& entity_;
  const DecodeOptions& options_;
  std::vector<FieldProblem> problems_;
  CodecContext context_;
  ValueDecoder decoder_;
  Patch patch_;
  std::vector<std::string_view> changed_;
};

}  // namespace

Result<Patch> DecodePatch(const Entity& entity, const json::Node& body,
                          const DecodeOptions& options) {
  return PatchDecoder(entity, options).Decode(body);
}

// What a patch makes of attributes.

namespace {

using item::Type;

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

// The map that holds the last name of the path, made if it is missing. Null if a value on the way
// is not a map.
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
    return CannotChange("$add", change.name,
                        std::string("the stored value is not a ") + expected + ".");
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
    return CannotChange("$append", change.name, "the stored value is not a list.");
  }
  const item::List& more = change.value.list();
  old->list().insert(old->list().end(), more.begin(), more.end());
  return {};
}

}  // namespace

Result<item::Map> ApplyPatch(const item::Map& attributes, const Patch& patch) {
  item::Map changed = attributes;
  for (const std::string& path : patch.remove) Remove(path, &changed);
  Merge(patch.set, &changed);
  for (const item::Attribute& change : patch.add) TRY(Add(change, &changed));
  for (const item::Attribute& change : patch.append) TRY(Append(change, &changed));
  return changed;
}

}  // namespace monotable::entities

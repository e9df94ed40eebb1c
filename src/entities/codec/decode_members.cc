#include <algorithm>
#include <utility>

#include "entities/codec/constraint.h"
#include "entities/codec/decode_value.h"

// Lists, sets and maps: values whose members are all of one type.
namespace monotable::entities {
namespace {

using item::Type;
using item::Value;
using model::TypeModel;

// The set of members that are all of one type, which is never empty.
Value MakeSet(std::vector<Value> members) {
  switch (members.front().type()) {
    case Type::kNumber: {
      std::vector<item::Number> numbers;
      for (const Value& member : members) numbers.push_back(member.number());
      return Value(item::MakeNumberSet(std::move(numbers)));
    }
    case Type::kBinary: {
      std::vector<std::string> binaries;
      for (const Value& member : members) binaries.push_back(member.binary());
      return Value(item::MakeBinarySet(std::move(binaries)));
    }
    default: {
      std::vector<std::string> texts;
      for (const Value& member : members) texts.push_back(member.string());
      return Value(item::MakeStringSet(std::move(texts)));
    }
  }
}

size_t SetSize(const Value& set) {
  switch (set.type()) {
    case Type::kNumberSet:
      return set.number_set().size();
    case Type::kBinarySet:
      return set.binary_set().size();
    default:
      return set.string_set().size();
  }
}

}  // namespace

std::optional<Value> ValueDecoder::DecodeList(const TypeModel& type, const json::Node& node,
                                              const FieldPath& path) const {
  if (!node.is_array()) return WrongKind(type, path);
  const size_t before = context_.problems->size();
  if (constrained_) CheckCount(context_, type, node.items.size(), path);
  // A merge patch replaces lists, so what is in them is whole; and it must keep its constraints.
  const ValueDecoder whole(context_, Extent::kWhole);
  item::List list;
  list.reserve(node.items.size());
  for (size_t i = 0; i < node.items.size(); ++i) {
    const FieldPath member_path(path, i);
    auto member = whole.Decode(*type.element, node.items[i], member_path);
    if (!member) continue;
    if (member->is(Type::kNull) && type.element->kind != model::TypeKind::kAny) {
      context_.Report(member_path, "type",
                      "must be " + std::string(KindText(type.element->kind)) + ", not nothing");
      continue;
    }
    list.push_back(std::move(*member));
  }
  if (context_.problems->size() != before) return std::nullopt;
  return Value(std::move(list));
}

std::optional<Value> ValueDecoder::DecodeSet(const TypeModel& type, const json::Node& node,
                                             const FieldPath& path) const {
  if (!node.is_array()) return WrongKind(type, path);
  const size_t before = context_.problems->size();
  if (constrained_) CheckCount(context_, type, node.items.size(), path);
  const ValueDecoder whole(context_, Extent::kWhole);
  std::vector<Value> members;
  members.reserve(node.items.size());
  for (size_t i = 0; i < node.items.size(); ++i) {
    const FieldPath member_path(path, i);
    auto member = whole.Decode(*type.element, node.items[i], member_path);
    if (!member) continue;
    if (member->is(Type::kNull)) {
      whole.WrongKind(*type.element, member_path);
      continue;
    }
    members.push_back(std::move(*member));
  }
  if (context_.problems->size() != before) return std::nullopt;
  if (members.empty()) return Value();
  const size_t given = members.size();
  Value set = MakeSet(std::move(members));
  if (SetSize(set) != given) {
    context_.Report(path, "duplicate", "is a set, and has the same member twice");
    return std::nullopt;
  }
  return set;
}

std::optional<Value> ValueDecoder::DecodeMap(const TypeModel& type, const json::Node& node,
                                             const FieldPath& path) const {
  if (!node.is_object()) return WrongKind(type, path);
  const size_t before = context_.problems->size();
  item::Map::Attributes members;
  members.reserve(node.members.size());
  for (const json::Member& member : node.members) {
    const FieldPath member_path(path, member.name);
    if (!IsName(context_, member.name, member_path)) continue;
    auto value = Decode(*type.element, member.value, member_path);
    if (!value) continue;
    const bool is_absent = value->is(Type::kNull) && extent_ == Extent::kWhole &&
                           type.element->kind != model::TypeKind::kAny;
    if (!is_absent) members.push_back({std::string(member.name), std::move(*value)});
  }
  // How many a part makes of a map is not known before it is merged.
  if (extent_ == Extent::kWhole) CheckCount(context_, type, members.size(), path);
  if (context_.problems->size() != before) return std::nullopt;
  return Value(item::Map::FromUnsorted(std::move(members)));
}

}  // namespace monotable::entities

#include "entities/codec/decode_value.h"

#include <algorithm>
#include <utility>

#include "entities/codec/field_check.h"
#include "entities/codec/instant_text.h"
#include "item/value.h"
#include "json/base64.h"

namespace monotable::entities {

using item::Value;
using model::TypeKind;
using model::TypeModel;

std::string_view KindText(TypeKind kind) {
  switch (kind) {
    case TypeKind::kString:
    case TypeKind::kEnum:
      return "a string";
    case TypeKind::kInteger:
      return "a whole number";
    case TypeKind::kDecimal:
      return "a number";
    case TypeKind::kBoolean:
      return "true or false";
    case TypeKind::kInstant:
      return "an instant such as 2026-01-30T14:30:00Z";
    case TypeKind::kDate:
      return "a date such as 2026-01-30";
    case TypeKind::kBinary:
      return "base64 in a string";
    case TypeKind::kObject:
    case TypeKind::kMap:
      return "an object";
    case TypeKind::kList:
    case TypeKind::kSet:
      return "a list";
    case TypeKind::kAny:
      return "a value";
  }
  return "a value";
}

bool IsName(const CodecContext& context, std::string_view name, const FieldPath& path) {
  if (item::CheckAttributeName(name)) return true;
  context.Report(path, "length", "has a name that is empty or longer than 65535 bytes");
  return false;
}

bool IsObject(const CodecContext& context, const json::Node& body, const FieldPath& path) {
  if (body.is_object()) return true;
  context.Report(path, "type", "must be an object");
  return false;
}

Fate FateOf(const CodecContext& context, const Entity& entity, std::string_view name, bool strict,
            const FieldPath& path) {
  if (entity.IsReadOnly(name) || entity.IsPlumbing(name)) {
    if (!strict) return Fate::kIgnored;
    context.Report(path, "read_only", "is filled in by the server and cannot be given");
    return Fate::kReported;
  }
  if (entity.model->Find(name) != nullptr) return Fate::kKnown;
  switch (entity.model->unknown_attributes) {
    case model::UnknownAttributes::kDrop:
      return Fate::kIgnored;
    case model::UnknownAttributes::kKeep:
      return IsName(context, name, path) ? Fate::kUnknown : Fate::kReported;
    case model::UnknownAttributes::kReject:
      break;
  }
  ReportUnknown(context, path, name, entity.model->attributes);
  return Fate::kReported;
}

std::optional<item::Number> ReadNumber(const CodecContext& context, std::string_view text,
                                       const FieldPath& path) {
  auto number = item::Number::Parse(text);
  if (number) return *number;
  const bool is_numeric = text.find_first_not_of("+-.0123456789eE") == std::string_view::npos &&
                          text.find_first_of("0123456789") != std::string_view::npos;
  if (!is_numeric) {
    context.Report(path, "type", "must be a number");
  } else {
    // The service's own sentence: more than 38 digits, or a magnitude out of its range.
    context.Report(path, "range", "cannot be stored: " + number.error().message());
  }
  return std::nullopt;
}

std::optional<Value> ReadInstantText(const CodecContext& context, const TypeModel& type,
                                     std::string_view text, const FieldPath& path) {
  const auto instant = ReadClientInstant(text);
  if (!instant) {
    context.Report(path, "type", "must be an instant such as 2026-01-30T14:30:00Z");
    return std::nullopt;
  }
  if (!HoldsExactly(type, *instant)) {
    context.Report(path, "precision", "must be a whole second; the model keeps no milliseconds");
    return std::nullopt;
  }
  return model::StoreInstant(*instant, type.stored, type.milliseconds);
}

std::optional<Value> ValueDecoder::WrongKind(const TypeModel& type, const FieldPath& path) const {
  context_.Report(path, "type", "must be " + std::string(KindText(type.kind)));
  return std::nullopt;
}

std::optional<Value> ValueDecoder::Decode(const TypeModel& type, const json::Node& node,
                                          const FieldPath& path) const {
  if (node.is_null()) return Value();
  switch (type.kind) {
    case TypeKind::kObject:
      return DecodeObject(type, node, path);
    case TypeKind::kList:
      return DecodeList(type, node, path);
    case TypeKind::kSet:
      return DecodeSet(type, node, path);
    case TypeKind::kMap:
      return DecodeMap(type, node, path);
    case TypeKind::kAny:
      return DecodeAny(node, path);
    case TypeKind::kInteger:
    case TypeKind::kDecimal:
      return DecodeNumber(type, node, path);
    default:
      return DecodeScalar(type, node, path);
  }
}

std::optional<Value> ValueDecoder::DecodeChange(const TypeModel& type, const json::Node& node,
                                                const FieldPath& path) const {
  ValueDecoder unconstrained(*this);
  unconstrained.constrained_ = false;
  return unconstrained.Decode(type, node, path);
}

std::optional<Value> ValueDecoder::DecodeNumber(const TypeModel& type, const json::Node& node,
                                                const FieldPath& path) const {
  if (!node.is_number() && !node.is_string()) return WrongKind(type, path);
  const auto number = ReadNumber(context_, node.text, path);
  if (!number) return std::nullopt;
  const size_t before = context_.problems->size();
  if (constrained_) {
    CheckNumber(context_, type, *number, path);
  } else {
    TypeModel unbounded;
    unbounded.kind = type.kind;
    unbounded.scale = type.scale;
    CheckNumber(context_, unbounded, *number, path);
  }
  if (context_.problems->size() != before) return std::nullopt;
  return Value(*number);
}

std::optional<Value> ValueDecoder::DecodeScalar(const TypeModel& type, const json::Node& node,
                                                const FieldPath& path) const {
  if (type.kind == TypeKind::kBoolean) {
    if (node.kind != json::Node::Kind::kBoolean) return WrongKind(type, path);
    return Value(node.boolean);
  }
  if (!node.is_string()) return WrongKind(type, path);
  const size_t before = context_.problems->size();
  switch (type.kind) {
    case TypeKind::kInstant:
      return ReadInstantText(context_, type, node.text, path);
    case TypeKind::kDate:
      if (!model::ParseDate(node.text)) return WrongKind(type, path);
      return Value(node.text);
    case TypeKind::kBinary: {
      auto bytes = json::DecodeBase64(node.text);
      if (!bytes) return WrongKind(type, path);
      return Value(item::Binary{std::move(*bytes)});
    }
    case TypeKind::kEnum:
      CheckEnum(context_, type, node.text, path);
      break;
    default:
      CheckText(context_, type, node.text, path);
  }
  if (context_.problems->size() != before) return std::nullopt;
  return Value(node.text);
}

std::optional<Value> ValueDecoder::DecodeAny(const json::Node& node, const FieldPath& path) const {
  switch (node.kind) {
    case json::Node::Kind::kNull:
      return Value();
    case json::Node::Kind::kBoolean:
      return Value(node.boolean);
    case json::Node::Kind::kNumber: {
      const auto number = ReadNumber(context_, node.text, path);
      if (!number) return std::nullopt;
      return Value(*number);
    }
    case json::Node::Kind::kString:
      return Value(node.text);
    case json::Node::Kind::kArray: {
      item::List list;
      list.reserve(node.items.size());
      for (size_t i = 0; i < node.items.size(); ++i) {
        auto member = DecodeAny(node.items[i], FieldPath(path, i));
        if (!member) return std::nullopt;
        list.push_back(std::move(*member));
      }
      return Value(std::move(list));
    }
    case json::Node::Kind::kObject: {
      item::Map::Attributes members;
      members.reserve(node.members.size());
      for (const json::Member& member : node.members) {
        const FieldPath member_path(path, member.name);
        if (!IsName(context_, member.name, member_path)) return std::nullopt;
        auto value = DecodeAny(member.value, member_path);
        if (!value) return std::nullopt;
        members.push_back({std::string(member.name), std::move(*value)});
      }
      return Value(item::Map::FromUnsorted(std::move(members)));
    }
  }
  return std::nullopt;
}

item::Map ValueDecoder::DecodeMembers(const TypeModel& object, const json::Node& node,
                                      const FieldPath& path) const {
  const std::vector<model::AttributeModel>& attributes = object.attributes;
  const model::UnknownAttributes unknown =
      object.open ? model::UnknownAttributes::kKeep : context_.unknown;
  item::Map::Attributes members;
  members.reserve(node.members.size());
  for (const json::Member& member : node.members) {
    const FieldPath member_path(path, member.name);
    const auto known =
        std::find_if(attributes.begin(), attributes.end(),
                     [&member](const auto& attribute) { return attribute.name == member.name; });
    std::optional<Value> value;
    if (known != attributes.end()) {
      value = Decode(known->type, member.value, member_path);
    } else if (unknown == model::UnknownAttributes::kReject) {
      ReportUnknown(context_, member_path, member.name, attributes);
    } else if (unknown == model::UnknownAttributes::kKeep &&
               IsName(context_, member.name, member_path)) {
      value = DecodeAny(member.value, member_path);
    }
    if (!value || (value->is(item::Type::kNull) && extent_ == Extent::kWhole)) continue;
    members.push_back({std::string(member.name), std::move(*value)});
  }
  return item::Map::FromUnsorted(std::move(members));
}

std::optional<Value> ValueDecoder::DecodeObject(const TypeModel& type, const json::Node& node,
                                                const FieldPath& path) const {
  if (!node.is_object()) return WrongKind(type, path);
  const size_t before = context_.problems->size();
  item::Map members = DecodeMembers(type, node, path);
  // A member that was given with a wrong value is not reported as missing as well.
  if (context_.problems->size() != before) return std::nullopt;
  if (extent_ == Extent::kWhole) {
    CheckRequired(context_, type.attributes, members, Given::kByClient, path);
  }
  if (context_.problems->size() != before) return std::nullopt;
  return Value(std::move(members));
}

// Lists, sets and maps: values whose members are all of one type.

namespace {

using item::Type;

// The set of members that are all of one type, which is never empty.
Value MakeSet(std::vector<Value> members) {
  switch (members.front().type()) {
    case Type::kNumber: {
      std::vector<item::Number> numbers;
      numbers.reserve(members.size());
      for (const Value& member : members) numbers.push_back(member.number());
      return Value(item::MakeNumberSet(std::move(numbers)));
    }
    case Type::kBinary: {
      std::vector<std::string> binaries;
      binaries.reserve(members.size());
      for (const Value& member : members) binaries.push_back(member.binary());
      return Value(item::MakeBinarySet(std::move(binaries)));
    }
    default: {
      std::vector<std::string> texts;
      texts.reserve(members.size());
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
  // A merge patch replaces lists, so their members are whole and must keep their constraints.
  const ValueDecoder whole(context_, Extent::kWhole);
  item::List list;
  list.reserve(node.items.size());
  for (size_t i = 0; i < node.items.size(); ++i) {
    const FieldPath member_path(path, i);
    auto member = whole.Decode(*type.element, node.items[i], member_path);
    if (!member) continue;
    if (member->is(Type::kNull) && type.element->kind != model::TypeKind::kAny) {
      context_.Report(member_path, "type",
                      "must be " + std::string(KindText(type.element->kind)) + ", not null");
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
    context_.Report(path, "duplicate", "is a set and has the same member twice");
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
  // The size of the map is not known before a part is merged into it.
  if (extent_ == Extent::kWhole) CheckCount(context_, type, members.size(), path);
  if (context_.problems->size() != before) return std::nullopt;
  return Value(item::Map::FromUnsorted(std::move(members)));
}

}  // namespace monotable::entities

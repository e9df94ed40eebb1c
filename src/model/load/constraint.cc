#include <algorithm>
#include <cstdint>
#include <optional>

#include <re2/re2.h>

#include "model/instant.h"
#include "model/load/type.h"

// The constraints of types: what they may say, and whether a value of the file keeps to them.
namespace monotable::model {
namespace {

bool IsNumeric(TypeKind kind) {
  return kind == TypeKind::kInteger || kind == TypeKind::kDecimal;
}

bool HasLength(TypeKind kind) {
  return kind == TypeKind::kString || kind == TypeKind::kList || kind == TypeKind::kSet ||
         kind == TypeKind::kMap;
}

// A constraint is for some kinds of types only; null if it is absent or not for this one.
const Node* FindConstraint(MapReader* reader, std::string_view name, bool applies,
                           LoadContext* context) {
  const Node* node = reader->Find(name);
  if (node == nullptr || applies) return node;
  context->Error("constraint_does_not_apply", node->place, reader->SubjectOf(name),
                 Quoted(name) + " says nothing about a value of this type.",
                 "Take it away, or change the type.");
  return nullptr;
}

std::optional<item::Number> ReadNumber(MapReader* reader, std::string_view name,
                                       LoadContext* context) {
  const Node* node = reader->Find(name);
  if (node == nullptr) return std::nullopt;
  if (node->kind == Node::Kind::kNumber) {
    const Result<item::Number> number = item::Number::Parse(node->text);
    if (number) return *number;
  }
  context->Error("not_a_number", node->place, reader->SubjectOf(name), "A number is expected here.",
                 "Write digits, without quotes.");
  return std::nullopt;
}

void ReadBounds(MapReader* reader, TypeModel* type, LoadContext* context) {
  const bool applies = HasLength(type->kind) || IsNumeric(type->kind);
  const Node* least = FindConstraint(reader, "min", applies, context);
  const Node* most = FindConstraint(reader, "max", applies, context);
  bool empty = false;
  if (IsNumeric(type->kind)) {
    if (least != nullptr) type->minimum = ReadNumber(reader, "min", context);
    if (most != nullptr) type->maximum = ReadNumber(reader, "max", context);
    empty = type->minimum && type->maximum && *type->maximum < *type->minimum;
  } else if (applies) {
    constexpr int kMost = 1 << 30;
    if (least != nullptr) type->min_length = reader->Integer("min", 0, 0, kMost);
    if (most != nullptr) type->max_length = reader->Integer("max", kMost, 0, kMost);
    empty = type->min_length && type->max_length && *type->max_length < *type->min_length;
  }
  if (!empty) return;
  const Node* wrong = most != nullptr ? most : least;
  context->Error("bad_bounds", wrong->place, reader->subject(), "max is less than min.",
                 "Exchange them.");
}

void ReadPattern(MapReader* reader, TypeModel* type, LoadContext* context) {
  const bool text = type->kind == TypeKind::kString;
  if (FindConstraint(reader, "match", text, context) != nullptr) {
    const Node* match = reader->FindText("match");
    type->pattern = match == nullptr ? "" : match->text;
    const RE2 tried(type->pattern, RE2::Quiet);
    if (!tried.ok()) {
      context->Error("bad_regular_expression", match->place, reader->SubjectOf("match"),
                     Quoted(type->pattern) + " is no regular expression: " + tried.error() + ".",
                     "Use the syntax of RE2; escape backslashes in double quotes.");
    }
  }
  if (FindConstraint(reader, "format", text, context) != nullptr) {
    using std::string_view;
    type->format = reader->Choice("format", string_view(),
                                  {{"email", string_view("email")},
                                   {"uri", string_view("uri")},
                                   {"uuid", string_view("uuid")},
                                   {"ulid", string_view("ulid")}});
  }
}

void ReadScale(MapReader* reader, TypeModel* type, LoadContext* context) {
  const bool decimal = type->kind == TypeKind::kDecimal;
  if (decimal) {
    type->precision = reader->Integer("precision", type->precision, 1, item::Number::kMaxDigits);
  }
  if (FindConstraint(reader, "scale", decimal, context) == nullptr) return;
  type->scale = reader->Integer("scale", 0, 0, item::Number::kMaxDigits);
  if (*type->scale <= type->precision) return;
  context->Error("bad_scale", reader->Find("scale")->place, reader->SubjectOf("scale"),
                 "There are more digits after the point than digits.",
                 "Make precision at least as large as scale.");
}

std::string WhyNotNumber(const Node& value, const TypeModel& type) {
  const Result<item::Number> number = item::Number::Parse(value.text);
  if (value.kind != Node::Kind::kNumber || !number) return "it is no number";
  int64_t whole = 0;
  if (type.kind == TypeKind::kInteger && !number->ToInt64(&whole)) return "it is no whole number";
  if (type.minimum && *number < *type.minimum) return "it is less than min";
  if (type.maximum && *number > *type.maximum) return "it is more than max";
  const int digits = static_cast<int>(number->Digits().size());
  if (digits > type.precision) return "it has too many digits";
  if (type.scale && digits - 1 - number->magnitude() > *type.scale && !number->is_zero()) {
    return "it has too many digits after the point";
  }
  return "";
}

std::string WhyNotText(const Node& value, const TypeModel& type) {
  if (!value.is_text()) return "it is no text (put it in quotes)";
  const auto length = std::count_if(value.text.begin(), value.text.end(),
                                    [](char byte) { return (byte & 0xC0) != 0x80; });
  if (type.min_length && length < *type.min_length) return "it is too short";
  if (type.max_length && length > *type.max_length) return "it is too long";
  if (!type.pattern.empty()) {
    const RE2 pattern(type.pattern, RE2::Quiet);
    // One that is no expression is reported where it stands.
    if (pattern.ok() && !RE2::FullMatch(value.text, pattern)) return "it does not match";
  }
  return "";
}

std::string WhyNotMembers(const Node& value, const TypeModel& type, const Model& model) {
  if (type.kind == TypeKind::kMap) {
    if (!value.is_map()) return "it is no map";
    for (const Node::Member& member : value.members) {
      const std::string reason = WhyNot(member.value, *type.element, model);
      if (!reason.empty()) return member.name + ": " + reason;
    }
    return "";
  }
  if (!value.is_list()) return "it is no list";
  for (const Node& item : value.items) {
    const std::string reason = WhyNot(item, *type.element, model);
    if (!reason.empty()) return "a member: " + reason;
  }
  return "";
}

std::string WhyNotObject(const Node& value, const TypeModel& type, const Model& model) {
  if (!value.is_map()) return "it is no map";
  for (const AttributeModel& attribute : type.attributes) {
    const Node* member = value.Find(attribute.name);
    if (member == nullptr) {
      if (attribute.required) return attribute.name + " is missing";
      continue;
    }
    const std::string reason = WhyNot(*member, attribute.type, model);
    if (!reason.empty()) return attribute.name + ": " + reason;
  }
  return "";
}

}  // namespace

void ReadInstantForm(MapReader* reader, InstantForm* stored, bool* milliseconds) {
  *stored = reader->Choice("stored", *stored,
                           {{"iso8601", InstantForm::kIso},
                            {"brazilian", InstantForm::kBrazilian},
                            {"epoch", InstantForm::kEpoch},
                            {"epoch_millis", InstantForm::kEpochMillis}});
  *milliseconds =
      reader->Choice("precision", *milliseconds, {{"seconds", false}, {"milliseconds", true}});
}

UnknownAttributes ReadUnknownAttributes(MapReader* reader, UnknownAttributes fallback) {
  return reader->Choice("unknown_attributes", fallback,
                        {{"reject", UnknownAttributes::kReject},
                         {"keep", UnknownAttributes::kKeep},
                         {"drop", UnknownAttributes::kDrop}});
}

void ReadConstraints(MapReader* reader, TypeModel* type, LoadContext* context) {
  ReadBounds(reader, type, context);
  ReadPattern(reader, type, context);
  if (type->kind == TypeKind::kInstant) {
    ReadInstantForm(reader, &type->stored, &type->milliseconds);
  } else {
    FindConstraint(reader, "stored", false, context);
    FindConstraint(reader, "precision", type->kind == TypeKind::kDecimal, context);
  }
  ReadScale(reader, type, context);
}

std::string WhyNot(const Node& value, const TypeModel& type, const Model& model) {
  switch (type.kind) {
    case TypeKind::kString:
      return WhyNotText(value, type);
    case TypeKind::kInteger:
    case TypeKind::kDecimal:
      return WhyNotNumber(value, type);
    case TypeKind::kBoolean:
      return value.kind == Node::Kind::kBoolean ? "" : "it is neither true nor false";
    case TypeKind::kInstant:
      return value.is_text() && ParseIso(value.text) ? "" : "it is no instant in ISO 8601";
    case TypeKind::kDate:
      return value.is_text() && ParseDate(value.text) ? "" : "it is no date (YYYY-MM-DD)";
    case TypeKind::kBinary:
      return value.is_text() ? "" : "it is no text in base64";
    case TypeKind::kEnum: {
      const EnumModel* values = model.FindEnum(type.enum_name);
      const bool scalar = value.is_text() || value.kind == Node::Kind::kNumber;
      if (!scalar) return "it is no text";
      return values == nullptr || values->open || values->Find(value.text) != nullptr
                 ? ""
                 : "it is no value of " + type.enum_name;
    }
    case TypeKind::kObject:
      return WhyNotObject(value, type, model);
    case TypeKind::kList:
    case TypeKind::kSet:
    case TypeKind::kMap:
      return WhyNotMembers(value, type, model);
    case TypeKind::kAny:
      return "";
  }
  return "";
}

}  // namespace monotable::model

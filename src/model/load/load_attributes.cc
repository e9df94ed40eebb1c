#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include <re2/re2.h>

#include "model/instant.h"
#include "model/load/load_context.h"

namespace monotable::model {
namespace {

SetBy ReadSet(MapReader* reader, const TypeModel& type, LoadContext* context) {
  const SetBy set = reader->Choice("set", SetBy::kClient,
                                   {{"on_create", SetBy::kOnCreate},
                                    {"on_write", SetBy::kOnWrite},
                                    {"caller_on_create", SetBy::kCallerOnCreate},
                                    {"caller_on_write", SetBy::kCallerOnWrite}});
  const bool moment = set == SetBy::kOnCreate || set == SetBy::kOnWrite;
  const bool caller = set == SetBy::kCallerOnCreate || set == SetBy::kCallerOnWrite;
  const bool time_type = type.kind == TypeKind::kInstant || type.kind == TypeKind::kDate;
  if ((moment && !time_type) || (caller && type.kind != TypeKind::kString)) {
    context->Error("set_does_not_fit", reader->Find("set")->place, reader->SubjectOf("set"),
                   moment ? "Only an instant or a date can hold the moment of a write."
                          : "Only a string can hold the name of the caller.",
                   "Change the type, or choose another way to set it.");
  }
  return set;
}

ChangePolicy ReadChange(MapReader* reader, const AttributeModel& attribute, LoadContext* context) {
  const ChangePolicy change = reader->Choice("change", ChangePolicy::kAlways,
                                             {{"never", ChangePolicy::kNever},
                                              {"once", ChangePolicy::kOnce},
                                              {"by_operation", ChangePolicy::kByOperation}});
  const Node* node = reader->Find("change");
  if (node == nullptr) return change;
  const bool by_server = attribute.set != SetBy::kClient || reader->Find("derive") != nullptr;
  const bool from_other = change == ChangePolicy::kByOperation &&
                          (!attribute.default_from.empty() || reader->Find("generate") != nullptr);
  if (by_server || from_other) {
    context->Error("change_does_not_fit", node->place, reader->SubjectOf("change"),
                   by_server ? "The server sets the attribute, so no client changes it."
                             : "The attribute gets its value when the item is created, and not by "
                               "an operation.",
                   by_server ? "Remove change." : "Write change: never, or a literal default.");
  }
  return change;
}

void ReadDefault(MapReader* reader, AttributeModel* attribute, bool in_object,
                 LoadContext* context) {
  const Node* node = reader->Find("default");
  if (node == nullptr) return;
  const bool from = node->is_map() && node->members.size() == 1 && node->Find("from") != nullptr;
  const bool takes_maps =
      attribute->type.kind == TypeKind::kObject || attribute->type.kind == TypeKind::kMap;
  if (from && !takes_maps) {
    // The source is looked up once all entities are known.
    if (ExpectText(*node->Find("from"), reader->SubjectOf("default"), context->findings)) {
      attribute->default_from = node->Find("from")->text;
    }
    if (in_object) {
      context->Error("not_in_object", node->place, reader->SubjectOf("default"),
                     "Only an attribute of an entity can take its default from another entity.",
                     "Write a literal value.");
    }
    return;
  }
  const std::string reason = WhyNot(*node, attribute->type, context->model);
  if (!reason.empty()) {
    context->Error("default_does_not_fit", node->place, reader->SubjectOf("default"),
                   "The default" + (node->is_scalar() ? " " + Quoted(node->text) : "") +
                       " is not of the attribute's type: " + reason + ".",
                   "Write a value that the attribute could have.");
    return;
  }
  attribute->default_value = *node;
}

// At most one of set, derive, default and generate may say what the attribute is.
void CheckOneSource(MapReader* reader, LoadContext* context) {
  const Node* first = nullptr;
  for (const std::string_view name : {"set", "derive", "default", "generate"}) {
    const Node* node = reader->Find(name);
    if (node == nullptr) continue;
    if (first != nullptr) {
      context->Error("two_sources", node->place, reader->SubjectOf(name),
                     "Only one of set, derive, default and generate can say what the attribute is.",
                     "Keep one of them.");
      return;
    }
    first = node;
  }
}

AttributeModel ReadAttribute(const Node::Member& member, const std::string& subject, bool in_object,
                             LoadContext* context) {
  AttributeModel attribute;
  attribute.name = member.name;
  attribute.place = member.place;
  if (!member.value.is_map()) {
    UsedType used = ReadTypeText(member.value, subject, context);
    attribute.type = std::move(used.type);
    attribute.required = used.required;
    return attribute;
  }
  MapReader reader(member.value, subject, context->findings);
  UsedType used = ReadTypeMembers(&reader, context);
  attribute.type = std::move(used.type);
  attribute.required = reader.Boolean("required", false) || used.required;
  attribute.hidden = reader.Boolean("hidden", false);
  attribute.description = reader.Text("description");
  attribute.set = ReadSet(&reader, attribute.type, context);
  ReadDefault(&reader, &attribute, in_object, context);
  attribute.references = reader.Text("ref");
  attribute.change = ReadChange(&reader, attribute, context);
  attribute.generated = reader.Find("generate") != nullptr;
  for (const std::string_view name : {"derive", "ref", "set", "change", "generate"}) {
    const Node* node = reader.Find(name);
    if (node == nullptr || !in_object) continue;
    context->Error(
        "not_in_object", node->place, reader.SubjectOf(name),
        Quoted(name) + " is for attributes of an entity, not for those inside an object.",
        "Remove it, or make it an attribute of the entity.");
  }
  CheckOneSource(&reader, context);
  reader.Finish();
  return attribute;
}

}  // namespace

std::vector<AttributeModel> ReadAttributes(const Node& node, const std::string& subject,
                                           bool in_object, LoadContext* context) {
  std::vector<AttributeModel> attributes;
  if (!ExpectMap(node, subject, context->findings)) return attributes;
  for (const Node::Member& member : node.members) {
    const std::string attribute_subject = subject + "." + member.name;
    ExpectName(member.name, member.place, attribute_subject, context->findings);
    attributes.push_back(ReadAttribute(member, attribute_subject, in_object, context));
  }
  return attributes;
}

// Constraints of types, and whether a value of the file satisfies them.

namespace {

bool IsNumeric(TypeKind kind) {
  return kind == TypeKind::kInteger || kind == TypeKind::kDecimal;
}

bool HasLength(TypeKind kind) {
  return kind == TypeKind::kString || kind == TypeKind::kList || kind == TypeKind::kSet ||
         kind == TypeKind::kMap;
}

// Finds a constraint that applies only to some kinds of types. Returns null if the constraint is
// absent or does not apply to this type.
const Node* FindConstraint(MapReader* reader, std::string_view name, bool applies,
                           LoadContext* context) {
  const Node* node = reader->Find(name);
  if (node == nullptr || applies) return node;
  context->Error("constraint_does_not_apply", node->place, reader->SubjectOf(name),
                 Quoted(name) + " does not apply to a value of this type.",
                 "Remove it, or change the type.");
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
                 "Swap them.");
}

void ReadPattern(MapReader* reader, TypeModel* type, LoadContext* context) {
  const bool text = type->kind == TypeKind::kString;
  if (FindConstraint(reader, "match", text, context) != nullptr) {
    const Node* match = reader->FindText("match");
    type->pattern = match == nullptr ? "" : match->text;
    const RE2 tried(type->pattern, RE2::Quiet);
    if (!tried.ok()) {
      context->Error("bad_regular_expression", match->place, reader->SubjectOf("match"),
                     Quoted(type->pattern) + " is not a regular expression: " + tried.error() + ".",
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
                 "scale allows more digits after the point than precision allows in all.",
                 "Make precision at least as large as scale.");
}

std::string WhyNotNumber(const Node& value, const TypeModel& type) {
  const Result<item::Number> number = item::Number::Parse(value.text);
  if (value.kind != Node::Kind::kNumber || !number) return "it is not a number";
  int64_t whole = 0;
  if (type.kind == TypeKind::kInteger && !number->ToInt64(&whole))
    return "it is not a whole number";
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
  if (!value.is_text()) return "it is not text (put it in quotes)";
  const auto length = std::count_if(value.text.begin(), value.text.end(),
                                    [](char byte) { return (byte & 0xC0) != 0x80; });
  if (type.min_length && length < *type.min_length) return "it is too short";
  if (type.max_length && length > *type.max_length) return "it is too long";
  if (!type.pattern.empty()) {
    const RE2 pattern(type.pattern, RE2::Quiet);
    // An invalid expression is reported at its own place.
    if (pattern.ok() && !RE2::FullMatch(value.text, pattern)) return "it does not match";
  }
  return "";
}

std::string WhyNotMembers(const Node& value, const TypeModel& type, const Model& model) {
  if (type.kind == TypeKind::kMap) {
    if (!value.is_map()) return "it is not a map";
    for (const Node::Member& member : value.members) {
      const std::string reason = WhyNot(member.value, *type.element, model);
      if (!reason.empty()) return member.name + ": " + reason;
    }
    return "";
  }
  if (!value.is_list()) return "it is not a list";
  for (const Node& item : value.items) {
    const std::string reason = WhyNot(item, *type.element, model);
    if (!reason.empty()) return "a member: " + reason;
  }
  return "";
}

std::string WhyNotObject(const Node& value, const TypeModel& type, const Model& model) {
  if (!value.is_map()) return "it is not a map";
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
      return value.is_text() && ParseIso(value.text) ? "" : "it is not an instant in ISO 8601";
    case TypeKind::kDate:
      return value.is_text() && ParseDate(value.text) ? "" : "it is not a date (YYYY-MM-DD)";
    case TypeKind::kBinary:
      return value.is_text() ? "" : "it is not text in base64";
    case TypeKind::kEnum: {
      const EnumModel* values = model.FindEnum(type.enum_name);
      const bool scalar = value.is_text() || value.kind == Node::Kind::kNumber;
      if (!scalar) return "it is not text";
      return values == nullptr || values->open || values->Find(value.text) != nullptr
                 ? ""
                 : "it is not a value of " + type.enum_name;
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

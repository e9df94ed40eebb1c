#include "document/openapi/type_schema.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

namespace monotable::document {
namespace {

void WriteString(const model::TypeModel& type, json::Writer* out) {
  out->Key("type").String("string");
  if (!type.format.empty()) out->Key("format").String(type.format);
  // RE2 must match all of the text; a schema's pattern may match a part.
  if (!type.pattern.empty()) out->Key("pattern").String("^(?:" + type.pattern + ")$");
  if (type.min_length) out->Key("minLength").Integer(*type.min_length);
  if (type.max_length) out->Key("maxLength").Integer(*type.max_length);
}

// A decimal has no multipleOf: validators compute it in binary and refuse what is exact.
void WriteNumber(const model::TypeModel& type, json::Writer* out) {
  const bool integer = type.kind == model::TypeKind::kInteger;
  out->Key("type").String(integer ? "integer" : "number");
  if (!integer) {
    out->Key("format").String("decimal").Key("x-stm-precision").Integer(type.precision);
    if (type.scale) out->Key("x-stm-scale").Integer(*type.scale);
  }
  if (type.minimum) out->Key("minimum").Raw(type.minimum->ToString());
  if (type.maximum) out->Key("maximum").Raw(type.maximum->ToString());
}

// Names that a schema of this kind may have are those of the file; an entity has the name first.
std::string ComponentOf(const model::Model& model, const std::string& type_name) {
  return model.FindEntity(type_name) == nullptr ? type_name : type_name + "_Type";
}

std::string ValuesText(const model::EnumModel& values) {
  std::string text;
  for (const model::EnumModel::Value& value : values.values) {
    if (value.title.empty()) continue;
    text += fmt::format("{}- `{}`: {}", text.empty() ? "" : "\n", value.text, value.title);
  }
  return text;
}

template <typename Text>
void WriteTexts(std::string_view key, const model::EnumModel& values, const Text& text,
                json::Writer* out) {
  out->Key(key).BeginArray();
  for (const model::EnumModel::Value& value : values.values) out->String(text(value));
  out->EndArray();
}

void WriteTransitions(const model::EnumModel& values, json::Writer* out) {
  if (values.transitions != model::EnumModel::Transitions::kListed) return;
  out->Key("x-stm-transitions").BeginObject();
  for (const model::EnumModel::Transition& each : values.listed) {
    out->Key(each.from).BeginArray();
    for (const std::string& to : each.to) out->String(to);
    out->EndArray();
  }
  out->EndObject();
}

std::string EnumText(const model::EnumModel& values) {
  std::string text;
  json::Writer out(&text);
  out.BeginObject().Key("type").String("string");
  const auto value_text = [](const model::EnumModel::Value& value) { return value.text; };
  // Other values than the known ones are fine for an open one, so a schema must not refuse them.
  WriteTexts(values.open ? "examples" : "enum", values, value_text, &out);
  std::string description = ValuesText(values);
  if (values.open) {
    description += std::string(description.empty() ? "" : "\n\n") + "Other values are accepted.";
  }
  if (!description.empty()) out.Key("description").String(description);
  bool renamed = false;
  for (const model::EnumModel::Value& value : values.values) renamed |= !value.code_name.empty();
  if (renamed && !values.open) {
    WriteTexts(
        "x-enum-varnames", values,
        [](const model::EnumModel::Value& value) {
          return value.code_name.empty() ? value.text : value.code_name;
        },
        &out);
  }
  WriteTransitions(values, &out);
  out.EndObject();
  return text;
}

std::string_view SetByDescription(model::SetBy set) {
  switch (set) {
    case model::SetBy::kClient:
      return "";
    case model::SetBy::kOnCreate:
      return "Set by the server when the item is created.";
    case model::SetBy::kOnWrite:
      return "Set by the server with every write.";
    case model::SetBy::kCallerOnCreate:
      return "Who created the item.";
    case model::SetBy::kCallerOnWrite:
      return "Who wrote the item last.";
  }
  return "";
}

std::string NotesOf(const model::AttributeModel& attribute, const std::string& note) {
  std::vector<std::string> notes;
  if (!attribute.description.empty()) notes.push_back(attribute.description);
  if (!note.empty()) notes.push_back(note);
  if (attribute.set != model::SetBy::kClient) notes.emplace_back(SetByDescription(attribute.set));
  if (attribute.derive) notes.push_back(fmt::format("Derived: `{}`.", attribute.derive->text()));
  if (!attribute.default_from.empty()) {
    notes.push_back(fmt::format("Default: `{}`.", attribute.default_from));
  }
  if (!attribute.references.empty()) {
    notes.push_back(fmt::format("Refers to {}.", attribute.references));
  }
  if (attribute.type.kind == model::TypeKind::kDecimal && attribute.type.scale) {
    notes.push_back(fmt::format("Exact, with up to {} digits of which {} are after the point.",
                                attribute.type.precision, *attribute.type.scale));
  }
  return fmt::format("{}", fmt::join(notes, " "));
}

}  // namespace

void WriteLiteral(const model::Node& node, json::Writer* out) {
  switch (node.kind) {
    case model::Node::Kind::kNull:
      out->Raw("null");
      return;
    case model::Node::Kind::kBoolean:
    case model::Node::Kind::kNumber:
      out->Raw(node.text);
      return;
    case model::Node::Kind::kText:
      out->String(node.text);
      return;
    case model::Node::Kind::kList:
      out->BeginArray();
      for (const model::Node& item : node.items) WriteLiteral(item, out);
      out->EndArray();
      return;
    case model::Node::Kind::kMap:
      out->BeginObject();
      for (const model::Node::Member& member : node.members) {
        out->Key(member.name);
        WriteLiteral(member.value, out);
      }
      out->EndObject();
      return;
  }
}

void TypeSchemas::WriteEnum(const model::TypeModel& type, json::Writer* out) {
  const model::EnumModel* values = model_.FindEnum(type.enum_name);
  if (values == nullptr) {
    out->Key("type").String("string");
    return;
  }
  const std::string name = ComponentOf(model_, values->name);
  components_.Add(name, EnumText(*values));
  WriteReference(name, out);
}

std::string TypeSchemas::ObjectText(const model::TypeModel& type, SchemaForm form) {
  std::string text;
  json::Writer out(&text);
  out.BeginObject().Key("type").String("object").Key("properties").BeginObject();
  std::vector<std::string> required;
  for (const model::AttributeModel& attribute : type.attributes) {
    if (attribute.required) required.push_back(attribute.name);
    out.Key(attribute.name);
    WriteAttribute(attribute, form, {}, &out);
  }
  out.EndObject();
  if (form == SchemaForm::kWhole && !required.empty()) {
    out.Key("required").BeginArray();
    for (const std::string& name : required) out.String(name);
    out.EndArray();
  }
  out.EndObject();
  return text;
}

void TypeSchemas::WriteObject(const model::TypeModel& type, SchemaForm form, json::Writer* out) {
  const std::string text = ObjectText(type, form);
  if (!type.name.empty()) {
    std::string name = ComponentOf(model_, type.name);
    if (form == SchemaForm::kMerge) name = PatchSchemaName(name);
    // An attribute may narrow a named type; then it is another schema, which stays here.
    if (components_.Add(name, text)) {
      WriteReference(name, out);
      return;
    }
  }
  out->Raw(std::string_view(text).substr(1, text.size() - 2));
}

void TypeSchemas::WriteMembers(const model::TypeModel& type, SchemaForm form, json::Writer* out) {
  switch (type.kind) {
    case model::TypeKind::kString:
      return WriteString(type, out);
    case model::TypeKind::kInteger:
    case model::TypeKind::kDecimal:
      return WriteNumber(type, out);
    case model::TypeKind::kBoolean:
      out->Key("type").String("boolean");
      return;
    case model::TypeKind::kInstant:
      out->Key("type").String("string").Key("format").String("date-time");
      return;
    case model::TypeKind::kDate:
      out->Key("type").String("string").Key("format").String("date");
      return;
    case model::TypeKind::kBinary:
      out->Key("type").String("string").Key("contentEncoding").String("base64");
      return;
    case model::TypeKind::kEnum:
      return WriteEnum(type, out);
    case model::TypeKind::kObject:
      return WriteObject(type, form, out);
    case model::TypeKind::kList:
    case model::TypeKind::kSet:
      out->Key("type").String("array");
      if (type.kind == model::TypeKind::kSet) out->Key("uniqueItems").Bool(true);
      if (type.min_length) out->Key("minItems").Integer(*type.min_length);
      if (type.max_length) out->Key("maxItems").Integer(*type.max_length);
      if (type.element == nullptr) return;
      out->Key("items");
      return Write(*type.element, SchemaForm::kWhole, out);
    case model::TypeKind::kMap:
      out->Key("type").String("object");
      if (type.element == nullptr) return;
      out->Key("additionalProperties");
      return Write(*type.element, SchemaForm::kWhole, out);
    case model::TypeKind::kAny:
      return;
  }
}

void TypeSchemas::Write(const model::TypeModel& type, SchemaForm form, json::Writer* out) {
  out->BeginObject();
  WriteMembers(type, form, out);
  out->EndObject();
}

void TypeSchemas::WriteAttribute(const model::AttributeModel& attribute, SchemaForm form,
                                 const AttributeNotes& notes, json::Writer* out) {
  out->BeginObject();
  if (form == SchemaForm::kMerge && !attribute.required) {
    out->Key("anyOf").BeginArray();
    Write(attribute.type, form, out);
    out->BeginObject().Key("type").String("null").EndObject().EndArray();
  } else {
    WriteMembers(attribute.type, form, out);
  }
  const std::string description = NotesOf(attribute, notes.note);
  if (!description.empty()) out->Key("description").String(description);
  if (notes.read_only) out->Key("readOnly").Bool(true);
  if (form == SchemaForm::kWhole) WriteDefault(attribute, out);
  out->EndObject();
}

void TypeSchemas::WriteDefault(const model::AttributeModel& attribute, json::Writer* out) {
  if (attribute.default_value) {
    out->Key("default");
    WriteLiteral(*attribute.default_value, out);
    return;
  }
  if (attribute.type.kind != model::TypeKind::kEnum) return;
  const model::EnumModel* values = model_.FindEnum(attribute.type.enum_name);
  if (values != nullptr && !values->initial.empty()) out->Key("default").String(values->initial);
}

}  // namespace monotable::document

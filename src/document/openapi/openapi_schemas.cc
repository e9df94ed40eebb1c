#include "document/openapi/openapi_schemas.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "model/route/route.h"

namespace monotable::document {
namespace {

void WriteString(const model::TypeModel& type, json::Writer* out) {
  out->Key("type").String("string");
  if (!type.format.empty()) out->Key("format").String(type.format);
  // RE2 must match the whole text, but the pattern of a schema may match a part.
  if (!type.pattern.empty()) out->Key("pattern").String("^(?:" + type.pattern + ")$");
  if (type.min_length) out->Key("minLength").Integer(*type.min_length);
  if (type.max_length) out->Key("maxLength").Integer(*type.max_length);
}

// A decimal has no multipleOf, because validators compute it in binary and refuse exact values.
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

// Types and enums keep their names as component names. If an entity has the same name, the entity
// keeps it.
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
  // An open enum accepts other values, so its schema must not refuse them.
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
  if (attribute.change == model::ChangePolicy::kNever) notes.emplace_back("Never changes.");
  if (attribute.change == model::ChangePolicy::kOnce)
    notes.emplace_back("Once given, never changes.");
  if (attribute.change == model::ChangePolicy::kByOperation)
    notes.emplace_back("Set by operations only.");
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

// A literal of the file as JSON.
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

}  // namespace

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
    // A request may leave out what has a default.
    const bool has_default = attribute.default_value || !attribute.default_from.empty();
    if (attribute.required && !has_default) required.push_back(attribute.name);
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
    // An attribute may narrow a named type. The narrowed type is a different schema and is written
    // inline.
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

// Not as `default`: openapi-typescript takes an attribute with a default for one that is always
// there, and so would require it in requests.
void TypeSchemas::WriteDefault(const model::AttributeModel& attribute, json::Writer* out) {
  if (attribute.default_value) {
    out->Key("x-stm-default");
    WriteLiteral(*attribute.default_value, out);
    return;
  }
  if (attribute.type.kind != model::TypeKind::kEnum) return;
  const model::EnumModel* values = model_.FindEnum(attribute.type.enum_name);
  if (values != nullptr && !values->initial.empty()) {
    out->Key("x-stm-default").String(values->initial);
  }
}

namespace {

const model::CopyModel* FindCopy(const model::EntityModel& entity, std::string_view attribute) {
  const auto found =
      std::find_if(entity.copies.begin(), entity.copies.end(),
                   [&](const model::CopyModel& copy) { return copy.attribute == attribute; });
  return found == entity.copies.end() ? nullptr : &*found;
}

TypeSchemas::AttributeNotes NotesOf(const model::EntityModel& entity,
                                    const model::AttributeModel& attribute) {
  TypeSchemas::AttributeNotes notes;
  notes.read_only = IsReadOnly(entity, attribute);
  if (const model::CopyModel* copy = FindCopy(entity, attribute.name); copy != nullptr) {
    notes.note = fmt::format("Copied from {}.{}{}.", copy->source_entity, copy->source_attribute,
                             copy->live ? ", which it follows" : " once");
    if (copy->freeze_when) {
      notes.note += fmt::format(" Fixed once `{}`.", copy->freeze_when->text());
    }
  }
  if (entity.id && entity.id->attribute == attribute.name &&
      entity.id->generate != model::IdModel::Generate::kNone) {
    notes.note +=
        std::string(notes.note.empty() ? "" : " ") + "The server makes it if it is absent.";
  }
  return notes;
}

std::string DescriptionOf(const model::EntityModel& entity) {
  if (entity.title.empty() || entity.description.empty()) return entity.title + entity.description;
  return entity.title + ". " + entity.description;
}

void WriteHead(const model::EntityModel& entity, json::Writer* out) {
  out->Key("type").String("object");
  if (const std::string text = DescriptionOf(entity); !text.empty()) {
    out->Key("description").String(text);
  }
}

void WriteRequired(const std::vector<std::string>& names, json::Writer* out) {
  if (names.empty()) return;
  out->Key("required").BeginArray();
  for (const std::string& name : names) out->String(name);
  out->EndArray();
}

void WriteKeys(const model::EntityModel& entity, json::Writer* out) {
  out->Key("x-stm-keys").BeginObject();
  for (const model::KeyModel& key : entity.keys) {
    out->Key(key.index.empty() ? "primary" : key.index).BeginObject();
    for (const model::KeyModel::Part& part : key.parts)
      out->Key(part.attribute).String(part.text.text());
    out->EndObject();
  }
  out->EndObject();
}

void WriteRules(const model::EntityModel& entity, json::Writer* out) {
  if (!entity.rules.empty()) {
    out->Key("x-stm-rules").BeginArray();
    for (const model::AssertModel& rule : entity.rules) {
      out->BeginObject().Key("name").String(rule.name);
      out->Key("assert").String(rule.assertion.text());
      if (rule.on_create_only) out->Key("when").String("create");
      if (!rule.message.empty()) out->Key("message").String(rule.message);
      out->EndObject();
    }
    out->EndArray();
  }
  if (entity.unique.empty()) return;
  out->Key("x-stm-unique").BeginArray();
  for (const model::UniqueModel& unique : entity.unique) {
    out->BeginObject().Key("name").String(unique.name).Key("fields").BeginArray();
    for (const model::Template& field : unique.fields) out->String(field.text());
    out->EndArray().EndObject();
  }
  out->EndArray();
}

// Writes the changes that need no old value: numbers and sets to add to, lists to append to.
template <typename Wanted>
void WriteChanges(std::string_view name, std::string_view description,
                  const model::EntityModel& entity, const Wanted& wanted, TypeSchemas* types,
                  json::Writer* out) {
  std::vector<const model::AttributeModel*> attributes;
  for (const model::AttributeModel& attribute : entity.attributes) {
    if (!attribute.hidden && !IsReadOnly(entity, attribute) && wanted(attribute.type.kind)) {
      attributes.push_back(&attribute);
    }
  }
  if (attributes.empty()) return;
  out->Key(name).BeginObject().Key("type").String("object");
  out->Key("description").String(description).Key("properties").BeginObject();
  for (const model::AttributeModel* attribute : attributes) {
    out->Key(attribute->name);
    // An added value does not have to be within the bounds of the result.
    model::TypeModel type = attribute->type;
    type.minimum = type.maximum = std::nullopt;
    type.min_length = type.max_length = std::nullopt;
    types->Write(type, SchemaForm::kWhole, out);
  }
  out->EndObject().EndObject();
}

// The schema of a list of something: items, next and meta.
std::string ListText(std::string_view item_schema) {
  std::string text;
  json::Writer out(&text);
  out.BeginObject().Key("type").String("object").Key("properties").BeginObject();
  out.Key("items").BeginObject().Key("type").String("array").Key("items");
  WriteReferenceSchema(item_schema, &out);
  out.EndObject().Key("next");
  WriteReferenceSchema("Api_Cursor", &out);
  out.Key("meta");
  WriteReferenceSchema("Api_ListMeta", &out);
  out.EndObject();
  WriteRequired({"items", "next", "meta"}, &out);
  out.EndObject();
  return text;
}

}  // namespace

bool IsReadOnly(const model::EntityModel& entity, const model::AttributeModel& attribute) {
  return attribute.derive.has_value() || attribute.set != model::SetBy::kClient ||
         attribute.change == model::ChangePolicy::kByOperation ||
         FindCopy(entity, attribute.name) != nullptr;
}

EntitySchemas::EntitySchemas(const model::Model& model, Components* components)
    : model_(model), components_(*components), types_(model, components) {}

void EntitySchemas::AddAll() {
  for (const model::EntityModel& entity : model_.entities) AddEntity(entity);
  for (const model::CollectionModel& collection : model_.collections) AddCollection(collection);
}

bool EntitySchemas::InKey(const model::EntityModel& entity, std::string_view attribute) const {
  const std::vector<std::string> key = model::RouteKey(model_, entity);
  return std::find(key.begin(), key.end(), attribute) != key.end();
}

bool EntitySchemas::Requires(const model::EntityModel& entity, std::string_view attribute) const {
  const model::AttributeModel* found = entity.Find(attribute);
  if (found == nullptr || !found->required || IsReadOnly(entity, *found)) return false;
  if (found->default_value || !found->default_from.empty() || found->generated) return false;
  if (model_.tenancy && model_.tenancy->attribute == attribute) return false;
  if (entity.id && entity.id->attribute == attribute &&
      entity.id->generate != model::IdModel::Generate::kNone) {
    return false;
  }
  if (const model::EnumModel* values = model_.FindEnum(found->type.enum_name);
      found->type.kind == model::TypeKind::kEnum && values != nullptr && !values->initial.empty()) {
    return false;
  }
  const model::EntityModel* parent =
      entity.parent.empty() ? nullptr : model_.FindEntity(entity.parent);
  return parent == nullptr || !InKey(*parent, attribute);
}

void EntitySchemas::WriteBody(const model::EntityModel& entity,
                              const std::function<bool(std::string_view attribute)>& given,
                              json::Writer* out) {
  out->BeginObject();
  WriteHead(entity, out);
  out->Key("properties").BeginObject();
  std::vector<std::string> required;
  for (const model::AttributeModel& attribute : entity.attributes) {
    if (IsReadOnly(entity, attribute)) continue;
    out->Key(attribute.name);
    types_.WriteAttribute(attribute, SchemaForm::kWhole, NotesOf(entity, attribute), out);
    if (Requires(entity, attribute.name) && !given(attribute.name)) {
      required.push_back(attribute.name);
    }
  }
  out->EndObject();
  WriteRequired(required, out);
  out->EndObject();
}

std::string EntitySchemas::ResponseText(const model::EntityModel& entity) {
  std::string text;
  json::Writer out(&text);
  out.BeginObject();
  WriteHead(entity, &out);
  out.Key("properties").BeginObject();
  std::vector<std::string> required;
  for (const model::AttributeModel& attribute : entity.attributes) {
    if (attribute.hidden) continue;
    out.Key(attribute.name);
    types_.WriteAttribute(attribute, SchemaForm::kWhole, NotesOf(entity, attribute), &out);
    if (attribute.required) required.push_back(attribute.name);
  }
  out.EndObject();
  WriteRequired(required, &out);
  WriteKeys(entity, &out);
  WriteRules(entity, &out);
  out.EndObject();
  return text;
}

std::string EntitySchemas::PatchText(const model::EntityModel& entity) {
  std::string text;
  json::Writer out(&text);
  out.BeginObject();
  out.Key("type").String("object");
  out.Key("description").String(fmt::format("Changes of a {}: a JSON merge patch.", entity.name));
  out.Key("properties").BeginObject();
  for (const model::AttributeModel& attribute : entity.attributes) {
    const bool fixed =
        InKey(entity, attribute.name) && entity.on_key_change == model::KeyChange::kRefuse;
    if (fixed || IsReadOnly(entity, attribute)) continue;
    out.Key(attribute.name);
    types_.WriteAttribute(attribute, SchemaForm::kMerge, NotesOf(entity, attribute), &out);
  }
  WriteChanges(
      "$add", "Numbers to add, and members to add to sets.", entity,
      [](model::TypeKind kind) {
        return kind == model::TypeKind::kInteger || kind == model::TypeKind::kDecimal ||
               kind == model::TypeKind::kSet;
      },
      &types_, &out);
  WriteChanges(
      "$append", "Members to append to lists.", entity,
      [](model::TypeKind kind) { return kind == model::TypeKind::kList; }, &types_, &out);
  out.Key("$remove").BeginObject().Key("type").String("array");
  out.Key("description").String("Attributes to remove, as paths with dots.");
  out.Key("items").BeginObject().Key("type").String("string").EndObject().EndObject();
  out.EndObject().EndObject();
  return text;
}

bool EntitySchemas::AsksForKey(const model::EntityModel& entity) const {
  const std::vector<std::string> key = model::RouteKey(model_, entity);
  return std::any_of(key.begin(), key.end(),
                     [&](const std::string& name) { return Requires(entity, name); });
}

void EntitySchemas::AddEntity(const model::EntityModel& entity) {
  components_.Add(entity.name, ResponseText(entity));
  const auto add_body = [&](const std::string& name,
                            const std::function<bool(std::string_view)>& given) {
    std::string text;
    json::Writer out(&text);
    WriteBody(entity, given, &out);
    components_.Add(name, text);
  };
  add_body(CreateSchemaName(entity.name), [](std::string_view) { return false; });
  if (AsksForKey(entity)) {
    add_body(ReplaceSchemaName(entity.name),
             [&](std::string_view name) { return InKey(entity, name); });
  }
  components_.Add(PatchSchemaName(entity.name), PatchText(entity));
  components_.Add(ListSchemaName(entity.name), ListText(entity.name));
}

void EntitySchemas::WriteReplaceReference(const model::EntityModel& entity, json::Writer* out) {
  WriteReferenceSchema(
      AsksForKey(entity) ? ReplaceSchemaName(entity.name) : CreateSchemaName(entity.name), out);
}

// The attributes of the root with the members beside them. Later pages have members only.
void EntitySchemas::AddCollection(const model::CollectionModel& collection) {
  std::string text;
  json::Writer out(&text);
  out.BeginObject().Key("allOf").BeginArray();
  WriteReferenceSchema(collection.root, &out);
  out.EndArray().Key("type").String("object").Key("properties").BeginObject();
  for (const model::CollectionModel::Member& member : collection.members) {
    out.Key(member.name).BeginObject();
    if (member.many) {
      out.Key("type").String("array").Key("items");
      WriteReferenceSchema(member.entity, &out);
    } else {
      out.Key("anyOf").BeginArray();
      WriteReferenceSchema(member.entity, &out);
      out.BeginObject().Key("type").String("null").EndObject().EndArray();
    }
    out.EndObject();
  }
  out.Key("next");
  WriteReferenceSchema("Api_Cursor", &out);
  out.Key("complete").BeginObject().Key("type").String("boolean");
  out.Key("description").String("Whether this is the whole collection.").EndObject();
  out.EndObject().EndObject();
  components_.Add(CollectionSchemaName(collection.name), text);
}

}  // namespace monotable::document

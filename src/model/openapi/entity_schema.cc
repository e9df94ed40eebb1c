#include "model/openapi/entity_schema.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/route/route.h"

namespace monotable::model {
namespace {

const CopyModel* FindCopy(const EntityModel& entity, std::string_view attribute) {
  const auto found =
      std::find_if(entity.copies.begin(), entity.copies.end(),
                   [&](const CopyModel& copy) { return copy.attribute == attribute; });
  return found == entity.copies.end() ? nullptr : &*found;
}

TypeSchemas::AttributeNotes NotesOf(const EntityModel& entity, const AttributeModel& attribute) {
  TypeSchemas::AttributeNotes notes;
  notes.read_only = IsReadOnly(entity, attribute);
  if (const CopyModel* copy = FindCopy(entity, attribute.name); copy != nullptr) {
    notes.note = fmt::format("Copied from {}.{}{}.", copy->source_entity, copy->source_attribute,
                             copy->live ? ", which it follows" : " once");
    if (copy->freeze_when) {
      notes.note += fmt::format(" Stays as it is once `{}`.", copy->freeze_when->text());
    }
  }
  if (entity.id && entity.id->attribute == attribute.name &&
      entity.id->generate != IdModel::Generate::kNone) {
    notes.note += std::string(notes.note.empty() ? "" : " ") + "Made by the server if absent.";
  }
  return notes;
}

std::string DescriptionOf(const EntityModel& entity) {
  if (entity.title.empty() || entity.description.empty()) return entity.title + entity.description;
  return entity.title + ". " + entity.description;
}

void WriteHead(const EntityModel& entity, json::Writer* out) {
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

void WriteKeys(const EntityModel& entity, json::Writer* out) {
  out->Key("x-stm-keys").BeginObject();
  for (const KeyModel& key : entity.keys) {
    out->Key(key.index.empty() ? "primary" : key.index).BeginObject();
    for (const KeyModel::Part& part : key.parts) out->Key(part.attribute).String(part.text.text());
    out->EndObject();
  }
  out->EndObject();
}

void WriteRules(const EntityModel& entity, json::Writer* out) {
  if (!entity.rules.empty()) {
    out->Key("x-stm-rules").BeginArray();
    for (const AssertModel& rule : entity.rules) {
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
  for (const UniqueModel& unique : entity.unique) {
    out->BeginObject().Key("name").String(unique.name).Key("fields").BeginArray();
    for (const Template& field : unique.fields) out->String(field.text());
    out->EndArray().EndObject();
  }
  out->EndArray();
}

// What can be changed without knowing the old value: numbers and sets to add to, lists to append
// to.
template <typename Wanted>
void WriteChanges(std::string_view name, std::string_view description, const EntityModel& entity,
                  const Wanted& wanted, TypeSchemas* types, json::Writer* out) {
  std::vector<const AttributeModel*> attributes;
  for (const AttributeModel& attribute : entity.attributes) {
    if (!attribute.hidden && !IsReadOnly(entity, attribute) && wanted(attribute.type.kind)) {
      attributes.push_back(&attribute);
    }
  }
  if (attributes.empty()) return;
  out->Key(name).BeginObject().Key("type").String("object");
  out->Key("description").String(description).Key("properties").BeginObject();
  for (const AttributeModel* attribute : attributes) {
    out->Key(attribute->name);
    // What is added need not be within the bounds of what it is added to.
    TypeModel type = attribute->type;
    type.minimum = type.maximum = std::nullopt;
    type.min_length = type.max_length = std::nullopt;
    types->Write(type, SchemaForm::kWhole, out);
  }
  out->EndObject().EndObject();
}

}  // namespace

bool IsReadOnly(const EntityModel& entity, const AttributeModel& attribute) {
  return attribute.derive.has_value() || attribute.set != SetBy::kClient ||
         FindCopy(entity, attribute.name) != nullptr;
}

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

EntitySchemas::EntitySchemas(const Model& model, Components* components)
    : model_(model), components_(*components), types_(model, components) {}

void EntitySchemas::AddAll() {
  for (const EntityModel& entity : model_.entities) AddEntity(entity);
  for (const CollectionModel& collection : model_.collections) AddCollection(collection);
}

bool EntitySchemas::InKey(const EntityModel& entity, std::string_view attribute) const {
  const std::vector<std::string> key = RouteKey(model_, entity);
  return std::find(key.begin(), key.end(), attribute) != key.end();
}

bool EntitySchemas::Requires(const EntityModel& entity, std::string_view attribute) const {
  const AttributeModel* found = entity.Find(attribute);
  if (found == nullptr || !found->required || IsReadOnly(entity, *found)) return false;
  if (found->default_value || !found->default_from.empty()) return false;
  if (model_.tenancy && model_.tenancy->attribute == attribute) return false;
  if (entity.id && entity.id->attribute == attribute &&
      entity.id->generate != IdModel::Generate::kNone) {
    return false;
  }
  if (const EnumModel* values = model_.FindEnum(found->type.enum_name);
      found->type.kind == TypeKind::kEnum && values != nullptr && !values->initial.empty()) {
    return false;
  }
  const EntityModel* parent = entity.parent.empty() ? nullptr : model_.FindEntity(entity.parent);
  return parent == nullptr || !InKey(*parent, attribute);
}

void EntitySchemas::WriteBody(const EntityModel& entity,
                              const std::function<bool(std::string_view attribute)>& given,
                              json::Writer* out) {
  out->BeginObject();
  WriteHead(entity, out);
  out->Key("properties").BeginObject();
  std::vector<std::string> required;
  for (const AttributeModel& attribute : entity.attributes) {
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

std::string EntitySchemas::ResponseText(const EntityModel& entity) {
  std::string text;
  json::Writer out(&text);
  out.BeginObject();
  WriteHead(entity, &out);
  out.Key("properties").BeginObject();
  std::vector<std::string> required;
  for (const AttributeModel& attribute : entity.attributes) {
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

std::string EntitySchemas::PatchText(const EntityModel& entity) {
  std::string text;
  json::Writer out(&text);
  out.BeginObject();
  out.Key("type").String("object");
  out.Key("description").String(fmt::format("Changes of a {}: a JSON merge patch.", entity.name));
  out.Key("properties").BeginObject();
  for (const AttributeModel& attribute : entity.attributes) {
    const bool fixed = InKey(entity, attribute.name) && entity.on_key_change == KeyChange::kRefuse;
    if (fixed || IsReadOnly(entity, attribute)) continue;
    out.Key(attribute.name);
    types_.WriteAttribute(attribute, SchemaForm::kMerge, NotesOf(entity, attribute), &out);
  }
  WriteChanges(
      "$add", "Numbers to add, and members to add to sets.", entity,
      [](TypeKind kind) {
        return kind == TypeKind::kInteger || kind == TypeKind::kDecimal || kind == TypeKind::kSet;
      },
      &types_, &out);
  WriteChanges(
      "$append", "Members to append to lists.", entity,
      [](TypeKind kind) { return kind == TypeKind::kList; }, &types_, &out);
  out.Key("$remove").BeginObject().Key("type").String("array");
  out.Key("description").String("Attributes to take away, as paths with dots.");
  out.Key("items").BeginObject().Key("type").String("string").EndObject().EndObject();
  out.EndObject().EndObject();
  return text;
}

bool EntitySchemas::AsksForKey(const EntityModel& entity) const {
  const std::vector<std::string> key = RouteKey(model_, entity);
  return std::any_of(key.begin(), key.end(),
                     [&](const std::string& name) { return Requires(entity, name); });
}

void EntitySchemas::AddEntity(const EntityModel& entity) {
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

void EntitySchemas::WriteReplaceReference(const EntityModel& entity, json::Writer* out) {
  WriteReferenceSchema(
      AsksForKey(entity) ? ReplaceSchemaName(entity.name) : CreateSchemaName(entity.name), out);
}

// The root's attributes with the members beside them. The page that goes on has members only.
void EntitySchemas::AddCollection(const CollectionModel& collection) {
  std::string text;
  json::Writer out(&text);
  out.BeginObject().Key("allOf").BeginArray();
  WriteReferenceSchema(collection.root, &out);
  out.EndArray().Key("type").String("object").Key("properties").BeginObject();
  for (const CollectionModel::Member& member : collection.members) {
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
  out.Key("description").String("Whether this is all of it.").EndObject();
  out.EndObject().EndObject();
  components_.Add(CollectionSchemaName(collection.name), text);
}

}  // namespace monotable::model

#include "document/openapi/entity_schema.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/route/route.h"

namespace monotable::document {
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
      notes.note += fmt::format(" Stays as it is once `{}`.", copy->freeze_when->text());
    }
  }
  if (entity.id && entity.id->attribute == attribute.name &&
      entity.id->generate != model::IdModel::Generate::kNone) {
    notes.note += std::string(notes.note.empty() ? "" : " ") + "Made by the server if absent.";
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

// What can be changed without knowing the old value: numbers and sets to add to, lists to append
// to.
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
    // What is added need not be within the bounds of what it is added to.
    model::TypeModel type = attribute->type;
    type.minimum = type.maximum = std::nullopt;
    type.min_length = type.max_length = std::nullopt;
    types->Write(type, SchemaForm::kWhole, out);
  }
  out->EndObject().EndObject();
}

}  // namespace

bool IsReadOnly(const model::EntityModel& entity, const model::AttributeModel& attribute) {
  return attribute.derive.has_value() || attribute.set != model::SetBy::kClient ||
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
  if (found->default_value || !found->default_from.empty()) return false;
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
  out.Key("description").String("Attributes to take away, as paths with dots.");
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

// The root's attributes with the members beside them. The page that goes on has members only.
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
  out.Key("description").String("Whether this is all of it.").EndObject();
  out.EndObject().EndObject();
  components_.Add(CollectionSchemaName(collection.name), text);
}

}  // namespace monotable::document

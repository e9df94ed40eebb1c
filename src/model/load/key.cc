#include "model/load/key.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "model/load/reader.h"
#include "model/load/rule.h"

namespace monotable::model {
namespace {

std::vector<table::KeyAttribute> AttributesOf(const table::KeySchema& key) {
  std::vector<table::KeyAttribute> all = key.hash;
  all.insert(all.end(), key.range.begin(), key.range.end());
  return all;
}

// Whether a template is nothing but one attribute, as it is stored.
bool IsAttributeAlone(const Template& text) {
  return text.parts().size() == 1 && !text.parts().front().is_literal() &&
         text.parts().front().format.empty() && text.parts().front().filters.empty();
}

// Templates make text, so the other two types must come from an attribute that has them.
bool FitsKeyType(const Template& text, item::Type key_type, const EntityModel& entity) {
  if (key_type == item::Type::kString) return true;
  if (!IsAttributeAlone(text)) return false;
  const TypeModel& type = *entity.FindPath(text.parts().front().attribute);
  if (key_type == item::Type::kBinary) return type.kind == TypeKind::kBinary;
  const bool epoch = type.kind == TypeKind::kInstant && (type.stored == InstantForm::kEpoch ||
                                                         type.stored == InstantForm::kEpochMillis);
  return epoch || type.kind == TypeKind::kInteger || type.kind == TypeKind::kDecimal;
}

void CheckPart(const KeyModel::Part& part, const table::KeyAttribute& attribute, Place place,
               const EntityModel& entity, LoadContext* context) {
  if (!FitsKeyType(part.text, attribute.type, entity)) {
    context->Error("key_type_mismatch", place, "entities." + entity.name + ".keys",
                   Quoted(part.text.text()) + " does not make a value of the type of " +
                       Quoted(attribute.name) + ".",
                   "For a key of type N or B write one attribute of that type in braces.");
    return;
  }
  const AttributeModel* declared = entity.Find(attribute.name);
  const bool same =
      IsAttributeAlone(part.text) && part.text.parts().front().attribute == attribute.name;
  if (declared != nullptr && !same && entity.envelope.empty()) {
    context->Error("key_attribute_declared", declared->place,
                   "entities." + entity.name + ".attributes." + attribute.name,
                   Quoted(attribute.name) + " is a key attribute, which the template " +
                       Quoted(part.text.text()) + " makes.",
                   "Give the attribute another name, or take it away.");
  }
}

// An attribute that every item has, whoever puts it there.
bool IsAlwaysThere(const EntityModel& entity, const std::string& path, const Model& model) {
  const std::string name = path.substr(0, path.find('.'));
  const AttributeModel* attribute = entity.Find(name);
  if (attribute == nullptr || attribute->required || attribute->set != SetBy::kClient ||
      attribute->default_value || !attribute->default_from.empty()) {
    return true;
  }
  if (entity.id && entity.id->attribute == name &&
      entity.id->generate != IdModel::Generate::kNone) {
    return true;
  }
  const EnumModel* values = model.FindEnum(attribute->type.enum_name);
  return values != nullptr && !values->initial.empty();
}

void CheckPrimary(const KeyModel& key, const Node& node, const std::string& subject,
                  const EntityModel& entity, LoadContext* context) {
  for (const KeyModel::Part& part : key.parts) {
    const Node* written = node.Find(part.attribute);
    for (const std::string& path : part.text.attributes()) {
      if (IsAlwaysThere(entity, path, context->model)) continue;
      context->Error("optional_key_attribute", written == nullptr ? key.place : written->place,
                     subject + "." + part.attribute,
                     Quoted(path) + " is part of the primary key, and not required.",
                     "Add ! to its type, or give it a default.");
    }
  }
}

KeyModel ReadKey(const Node::Member& member, const table::KeySchema& schema,
                 const std::string& subject, const EntityModel& entity, LoadContext* context) {
  KeyModel key;
  key.index = member.name == "primary" ? "" : member.name;
  key.place = member.place;
  if (!ExpectMap(member.value, subject, context->findings)) return key;
  std::vector<std::string> known;
  for (const table::KeyAttribute& attribute : AttributesOf(schema)) {
    known.push_back(attribute.name);
    const std::string part_subject = subject + "." + attribute.name;
    const Node* node = member.value.Find(attribute.name);
    const KeyModel::Part* shared =
        entity.keys.empty() ? nullptr : entity.primary().Find(attribute.name);
    if (node == nullptr && shared != nullptr) {
      key.parts.push_back(*shared);
      continue;
    }
    if (node == nullptr) {
      context->Error("missing_key_part", member.place, subject,
                     "Nothing says what the key attribute " + Quoted(attribute.name) + " is.",
                     "Add " + attribute.name + ": and a template.");
      continue;
    }
    std::optional<Template> text = ReadTemplate(*node, part_subject, entity, context);
    if (!text) continue;
    key.parts.push_back({attribute.name, *std::move(text)});
    CheckPart(key.parts.back(), attribute, node->place, entity, context);
    if (shared != nullptr && !(shared->text == key.parts.back().text)) {
      context->Error("key_part_differs", node->place, part_subject,
                     Quoted(attribute.name) + " is something else in the primary key.",
                     "Take it away here; the index uses what the table's key has.");
    }
  }
  if (const Node* when = member.value.Find("when"); when != nullptr && !key.index.empty()) {
    key.when = ReadRule(*when, subject + ".when", {&entity}, context);
  }
  for (const Node::Member& part : member.value.members) {
    const bool is_when = part.name == "when" && !key.index.empty();
    if (is_when || std::find(known.begin(), known.end(), part.name) != known.end()) continue;
    context->Error("unknown_key_part", part.place, subject,
                   Quoted(part.name) + " is no key attribute of " +
                       (key.index.empty() ? "the table." : key.index + "."),
                   Suggest(part.name, known));
  }
  return key;
}

// Items are in an index whose key attributes they have anyhow, an inverted one for example.
void AddSharedKeys(const TableModel& table, EntityModel* entity) {
  for (const IndexModel& index : table.indexes) {
    if (entity->FindKeys(index.name) != nullptr) continue;
    KeyModel key;
    key.index = index.name;
    key.place = entity->primary().place;
    for (const table::KeyAttribute& attribute : AttributesOf(index.key)) {
      const KeyModel::Part* shared = entity->primary().Find(attribute.name);
      if (shared != nullptr) key.parts.push_back(*shared);
    }
    const size_t whole = index.key.hash.size() + index.key.range.size();
    if (key.parts.size() == whole) entity->keys.push_back(std::move(key));
  }
}

}  // namespace

void LoadKeys(const Node& node, const std::string& subject, const TableModel& table,
              EntityModel* entity, LoadContext* context) {
  if (!ExpectMap(node, subject, context->findings)) return;
  const auto primary =
      std::find_if(node.members.begin(), node.members.end(),
                   [](const Node::Member& member) { return member.name == "primary"; });
  if (primary == node.members.end()) {
    context->Error("missing_primary_key", node.place, subject, "The entity has no primary key.",
                   "Add primary: {…} with a template for each key attribute of the table.");
    return;
  }
  const std::string primary_subject = subject + ".primary";
  entity->keys.push_back(ReadKey(*primary, table.key, primary_subject, *entity, context));
  CheckPrimary(entity->primary(), primary->value, primary_subject, *entity, context);
  for (const Node::Member& member : node.members) {
    if (member.name == "primary") continue;
    const IndexModel* index = table.FindIndex(member.name);
    if (index == nullptr) {
      context->Error("unknown_index", member.place, subject,
                     Quoted(member.name) + " is no index of the table " + table.id + ".",
                     Suggest(member.name, NamesOf(table.indexes)));
      continue;
    }
    KeyModel key = ReadKey(member, index->key, subject + "." + member.name, *entity, context);
    entity->keys.push_back(std::move(key));
  }
  AddSharedKeys(table, entity);
}

}  // namespace monotable::model

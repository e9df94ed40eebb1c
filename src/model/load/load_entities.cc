#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "model/load/load_context.h"
#include "model/load/node_reader.h"
#include "text/characters.h"

namespace monotable::model {
namespace {

std::vector<table::KeyAttribute> AttributesOf(const table::KeySchema& key) {
  std::vector<table::KeyAttribute> all = key.hash;
  all.insert(all.end(), key.range.begin(), key.range.end());
  return all;
}

// Whether a template consists of a single attribute in its stored form.
bool IsAttributeAlone(const Template& text) {
  return text.parts().size() == 1 && !text.parts().front().is_literal() &&
         text.parts().front().format.empty() && text.parts().front().filters.empty();
}

// Templates make text, so a key of type N or B needs an attribute of that type.
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
                   "For a key of type N or B, write one attribute of that type in braces.");
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
                   "Rename the attribute, or remove it.");
  }
}

// Whether every item has the attribute, whoever sets it.
bool IsAlwaysThere(const EntityModel& entity, const std::string& path, const Model& model) {
  const std::string name = path.substr(0, path.find('.'));
  const AttributeModel* attribute = entity.Find(name);
  if (attribute == nullptr || attribute->required || attribute->set != SetBy::kClient ||
      attribute->generated || attribute->default_value || !attribute->default_from.empty()) {
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
                     Quoted(path) + " is part of the primary key but not required.",
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
                     "No template says what the key attribute " + Quoted(attribute.name) + " is.",
                     "Add " + attribute.name + ": and a template.");
      continue;
    }
    std::optional<Template> text = ReadTemplate(*node, part_subject, entity, context);
    if (!text) continue;
    key.parts.push_back({attribute.name, *std::move(text)});
    CheckPart(key.parts.back(), attribute, node->place, entity, context);
    if (shared != nullptr && !(shared->text == key.parts.back().text)) {
      context->Error("key_part_differs", node->place, part_subject,
                     Quoted(attribute.name) + " has another template in the primary key.",
                     "Remove it here; the index uses the template of the table's key.");
    }
  }
  if (const Node* when = member.value.Find("when"); when != nullptr && !key.index.empty()) {
    key.when = ReadRule(*when, subject + ".when", {&entity}, {.condition = true}, context);
  }
  for (const Node::Member& part : member.value.members) {
    const bool is_when = part.name == "when" && !key.index.empty();
    if (is_when || std::find(known.begin(), known.end(), part.name) != known.end()) continue;
    context->Error("unknown_key_part", part.place, subject,
                   Quoted(part.name) + " is not a key attribute of " +
                       (key.index.empty() ? "the table." : key.index + "."),
                   Suggest(part.name, known));
  }
  return key;
}

// An item is in every index whose key attributes it already has, for example an inverted index.
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

// The keys of an entity, in its table and in the indexes that it names or that share the table's
// key attributes. The entity's attributes must have been read.
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
                     Quoted(member.name) + " is not an index of the table " + table.id + ".",
                     Suggest(member.name, NamesOf(table.indexes)));
      continue;
    }
    KeyModel key = ReadKey(member, index->key, subject + "." + member.name, *entity, context);
    entity->keys.push_back(std::move(key));
  }
  AddSharedKeys(table, entity);
}

// The first reading of entities: what each says about itself.

std::vector<std::string> TableIds(const Model& model) {
  std::vector<std::string> ids;
  for (const TableModel& table : model.tables) ids.push_back(table.id);
  return ids;
}

const TableModel* ReadTable(MapReader* reader, LoadContext* context) {
  const Model& model = context->model;
  const Node* node = reader->FindText("table");
  if (node == nullptr) {
    if (model.tables.size() == 1) return &model.tables.front();
    if (!model.tables.empty() && reader->is_map() && reader->Find("table") == nullptr) {
      context->Error(
          "table_not_named", reader->place(), reader->subject(),
          "The model has several tables, and the entity does not say which one it is in.",
          "Add table: and the name of one of them.");
    }
    return nullptr;
  }
  const TableModel* table = model.FindTable(node->text);
  if (table == nullptr) {
    context->Error("unknown_table", node->place, reader->SubjectOf("table"),
                   Quoted(node->text) + " is not a table.", Suggest(node->text, TableIds(model)));
  }
  return table;
}

// Gathers the attributes of an entity and where each was written.
struct AttributeList {
  EntityModel* entity;
  EntitySource* sources;

  void Add(AttributeModel attribute, const Node* source, Place place, const std::string& subject,
           LoadContext* context) {
    if (entity->Find(attribute.name) != nullptr) {
      context->Error("duplicate_attribute", place, subject,
                     Quoted(attribute.name) + " is an attribute of " + entity->name + " already.",
                     "Keep one of them.");
      return;
    }
    entity->attributes.push_back(std::move(attribute));
    sources->attributes.push_back(source);
  }
};

void ReadEntityAttributes(MapReader* reader, AttributeList list, LoadContext* context) {
  if (const Node* node = reader->Find("attributes")) {
    const std::string subject = reader->SubjectOf("attributes");
    for (AttributeModel& attribute : ReadAttributes(*node, subject, false, context)) {
      const Node* source = node->Find(attribute.name);
      const Place place = attribute.place;
      list.Add(std::move(attribute), source, place, subject, context);
    }
  }
  const std::string subject = reader->SubjectOf("include");
  for (const Node* include : reader->Texts("include")) {
    const auto mixin = context->mixins.find(include->text);
    if (mixin == context->mixins.end()) {
      std::vector<std::string> known;
      for (const auto& [name, unused] : context->mixins) known.push_back(name);
      context->Error("unknown_mixin", include->place, subject,
                     Quoted(include->text) + " is not a mixin.", Suggest(include->text, known));
      continue;
    }
    for (const AttributeModel& attribute : mixin->second.attributes) {
      list.Add(attribute, mixin->second.node->Find(attribute.name), include->place, subject,
               context);
    }
  }
}

void ReadId(MapReader* entity_reader, EntityModel* entity, LoadContext* context) {
  const Node* node = entity_reader->Find("id");
  if (node == nullptr) return;
  MapReader reader(*node, entity_reader->SubjectOf("id"), context->findings);
  IdModel id;
  id.attribute = reader.RequiredText("attribute");
  id.generate = ReadGenerate(&reader, "generate");
  ReadGeneratedForm(&reader, *entity, &id, context);
  reader.Finish();
  if (id.attribute.empty() || !ExpectAttribute(id.attribute, reader.Find("attribute")->place,
                                               reader.SubjectOf("attribute"), *entity, context)) {
    return;
  }
  entity->id = std::move(id);
}

void ReadEnvelope(MapReader* entity_reader, EntityModel* entity, LoadContext* context) {
  const Node* node = entity_reader->Find("envelope");
  if (node == nullptr) {
    entity->envelope = context->envelope;
    if (entity->envelope.empty()) return;
    for (const std::string& name : context->outside_envelope) {
      if (entity->Find(name) != nullptr) entity->outside_envelope.push_back(name);
    }
    return;
  }
  if (node->is_text()) {
    entity_reader->Choice("envelope", true, {{"none", true}});
    return;
  }
  MapReader reader(*node, entity_reader->SubjectOf("envelope"), context->findings);
  entity->envelope = reader.RequiredText("attribute");
  for (const Node* outside : reader.Texts("outside")) {
    if (ExpectAttribute(outside->text, outside->place, reader.SubjectOf("outside"), *entity,
                        context)) {
      entity->outside_envelope.push_back(outside->text);
    }
  }
  reader.Finish();
}

// A client cannot have an attribute with a name that the server uses in items.
void CheckOwnAttributes(const TableModel& table, const EntityModel& entity,
                        const std::string& subject, LoadContext* context) {
  for (const AttributeModel& attribute : entity.attributes) {
    const auto& outside = entity.outside_envelope;
    const bool top = entity.envelope.empty() ||
                     std::find(outside.begin(), outside.end(), attribute.name) != outside.end();
    const bool taken = attribute.name == table.type_attribute ||
                       attribute.name == table.version_attribute ||
                       attribute.name == entity.envelope;
    if (!top || !taken) continue;
    context->Error("attribute_taken", attribute.place, subject + ".attributes." + attribute.name,
                   Quoted(attribute.name) +
                       " is where the server keeps the entity's type, its "
                       "version or all its attributes.",
                   "Remove the attribute, or rename it.");
  }
}

bool IsPathSegment(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return text::IsAlphanumeric(c) || c == '-' || c == '_' || c == '.';
  });
}

void ReadRest(MapReader* reader, EntityModel* entity, LoadContext* context) {
  const Node* path = reader->FindText("path");
  if (path != nullptr) {
    entity->path = path->text;
    if (!IsPathSegment(path->text)) {
      context->Error("bad_path", path->place, reader->SubjectOf("path"),
                     Quoted(path->text) + " cannot be a segment of a URL.",
                     "Use letters, digits, - and _, for example sales.");
    }
  }
  entity->parent = reader->Text("parent");
  entity->cardinality = reader->Choice("cardinality", Cardinality::kMany,
                                       {{"many", Cardinality::kMany}, {"one", Cardinality::kOne}});
  const Node* cardinality = reader->Find("cardinality");
  if (cardinality != nullptr && reader->Find("parent") == nullptr) {
    context->Error("cardinality_without_parent", cardinality->place,
                   reader->SubjectOf("cardinality"),
                   "cardinality says how many items each parent has, but the entity has no parent.",
                   "Add parent: and an entity, or remove cardinality.");
  }
  if (path == nullptr) return;
  for (const EntityModel& other : context->model.entities) {
    if (other.path != entity->path || other.parent != entity->parent) continue;
    context->Error("duplicate_path", path->place, reader->SubjectOf("path"),
                   other.name + " has the path " + Quoted(other.path) + " as well.",
                   "Give each entity its own path.");
  }
}

void CheckTypeValue(MapReader* reader, const TableModel& table, const EntityModel& entity,
                    LoadContext* context) {
  if (table.type_attribute.empty()) return;
  for (const EntityModel& other : context->model.entities) {
    if (other.table != entity.table || other.type_value != entity.type_value) continue;
    const Node* type = reader->Find("type");
    context->Error("duplicate_type_value", type == nullptr ? entity.place : type->place,
                   reader->subject(),
                   other.name + " has the type " + Quoted(entity.type_value) + " as well.",
                   "Give each entity of a table its own type.");
  }
}

void LoadEntity(const Node::Member& member, LoadContext* context) {
  EntityModel entity;
  EntitySource sources;
  entity.name = member.name;
  entity.place = member.place;
  sources.node = &member.value;
  MapReader reader(member.value, "entities." + member.name, context->findings);
  ExpectName(member.name, member.place, reader.subject(), context->findings);
  entity.title = reader.Text("title");
  entity.description = reader.Text("description");
  const std::string type_value = reader.Text("type");
  entity.type_value = type_value.empty() ? entity.name : type_value;
  ReadEntityAttributes(&reader, {&entity, &sources}, context);
  ReadId(&reader, &entity, context);
  ReadEnvelope(&reader, &entity, context);
  ReadRest(&reader, &entity, context);
  const TableModel* table = ReadTable(&reader, context);
  const Node* keys = reader.Require("keys");
  if (table != nullptr) {
    entity.table = table->id;
    CheckTypeValue(&reader, *table, entity, context);
    CheckOwnAttributes(*table, entity, reader.subject(), context);
    if (keys != nullptr) LoadKeys(*keys, reader.SubjectOf("keys"), *table, &entity, context);
  }
  entity.on_key_change =
      reader.Choice("on_key_change", KeyChange::kRefuse,
                    {{"refuse", KeyChange::kRefuse}, {"move", KeyChange::kMove}});
  entity.unknown_attributes = ReadUnknownAttributes(&reader, context->unknown_attributes);
  entity.accepted_findings = reader.Strings("accept");
  // The second reading, in load_relations.cc, uses these.
  for (const std::string_view later :
       {"from_key", "unique", "copies", "assert", "frozen", "exactly_one", "at_most_one", "ttl",
        "on_key_conflict", "delete"}) {
    reader.Find(later);
  }
  reader.Finish();
  context->model.entities.push_back(std::move(entity));
  context->sources.push_back(std::move(sources));
}

}  // namespace

void LoadEntities(const Node& node, LoadContext* context) {
  if (!ExpectMap(node, "entities", context->findings)) return;
  if (node.members.empty()) {
    context->Error("no_entities", node.place, "entities", "The model has no entity.",
                   "Declare at least one.");
  }
  for (const Node::Member& member : node.members) LoadEntity(member, context);
}

namespace {

void ReadMember(const Node::Member& member, const std::string& subject, const EntityModel& root,
                CollectionModel* collection, LoadContext* context) {
  ExpectName(member.name, member.place, subject, context->findings);
  if (!ExpectText(member.value, subject + "." + member.name, context->findings)) return;
  std::string entity_name = member.value.text;
  const bool many = entity_name.ends_with("[]");
  if (many) entity_name.resize(entity_name.size() - 2);
  const EntityModel* entity =
      ExpectEntity(entity_name, member.value.place, subject + "." + member.name, context);
  if (entity == nullptr) return;
  // An entity whose table is unknown has already been reported.
  if (!entity->table.empty() && !root.table.empty() && entity->table != root.table) {
    context->Error("member_in_other_table", member.value.place, subject + "." + member.name,
                   entity_name + " is in a different table than " + root.name + ".",
                   "A collection is one partition of one table; remove the member.");
  }
  collection->members.push_back({member.name, entity_name, many});
}

void LoadCollection(const Node::Member& member, LoadContext* context) {
  CollectionModel collection;
  collection.name = member.name;
  collection.place = member.place;
  MapReader reader(member.value, "collections." + member.name, context->findings);
  ExpectName(member.name, member.place, reader.subject(), context->findings);
  collection.root = reader.RequiredText("root");
  const EntityModel* root = collection.root.empty()
                                ? nullptr
                                : ExpectEntity(collection.root, reader.Find("root")->place,
                                               reader.SubjectOf("root"), context);
  const Node* members = reader.Require("members") == nullptr ? nullptr : reader.FindMap("members");
  const Node* partition = reader.Require("partition");
  if (root != nullptr && members != nullptr) {
    for (const Node::Member& one : members->members) {
      ReadMember(one, reader.SubjectOf("members"), *root, &collection, context);
    }
  }
  if (root != nullptr && partition != nullptr) {
    auto text = ReadTemplate(*partition, reader.SubjectOf("partition"), *root, context);
    if (text) collection.partition = *std::move(text);
  }
  reader.Finish();
  context->model.collections.push_back(std::move(collection));
}

}  // namespace

void LoadCollections(const Node& node, LoadContext* context) {
  if (!ExpectMap(node, "collections", context->findings)) return;
  for (const Node::Member& member : node.members) LoadCollection(member, context);
}

}  // namespace monotable::model

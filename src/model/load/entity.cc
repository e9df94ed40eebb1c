#include <algorithm>
#include <utility>

#include "model/load/context.h"
#include "model/load/key.h"
#include "model/load/reader.h"
#include "model/load/rule.h"
#include "model/load/type.h"
#include "text/characters.h"

// The first reading of entities: what each says about itself.
namespace monotable::model {
namespace {

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
      context->Error("table_not_named", reader->place(), reader->subject(),
                     "The model has several tables, and the entity does not say which is its own.",
                     "Add table: and the name of one of them.");
    }
    return nullptr;
  }
  const TableModel* table = model.FindTable(node->text);
  if (table == nullptr) {
    context->Error("unknown_table", node->place, reader->SubjectOf("table"),
                   Quoted(node->text) + " is no table.", Suggest(node->text, TableIds(model)));
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
                     Quoted(include->text) + " is no mixin.", Suggest(include->text, known));
      continue;
    }
    for (const AttributeModel& attribute : mixin->second.attributes) {
      list.Add(attribute, mixin->second.node->Find(attribute.name), include->place, subject,
               context);
    }
  }
}

void ReadIdFormat(MapReader* reader, IdModel* id, LoadContext* context) {
  const Node* node = reader->FindText("format");
  if (node == nullptr) return;
  id->format = node->text;
  const Result<Template> format = Template::Parse(node->text);
  if (format && format->attributes() == std::vector<std::string>{"n"} &&
      id->generate != IdModel::Generate::kNone) {
    return;
  }
  context->Error("bad_id_format", node->place, reader->SubjectOf("format"),
                 Quoted(node->text) + " is no format of a generated id.",
                 "Write literal text with {n} or {n:03} for what generate makes.");
}

void ReadId(MapReader* entity_reader, EntityModel* entity, LoadContext* context) {
  const Node* node = entity_reader->Find("id");
  if (node == nullptr) return;
  MapReader reader(*node, entity_reader->SubjectOf("id"), context->findings);
  IdModel id;
  id.attribute = reader.RequiredText("attribute");
  id.generate = reader.Choice("generate", IdModel::Generate::kNone,
                              {{"counter", IdModel::Generate::kCounter},
                               {"ulid", IdModel::Generate::kUlid},
                               {"uuid", IdModel::Generate::kUuid}});
  ReadIdFormat(&reader, &id, context);
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

// What the server writes into items itself is no attribute that a client could have.
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
                       " is what the server keeps the entity's type, its "
                       "version or all its attributes in.",
                   "Take the attribute away, or give it another name.");
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
                     Quoted(path->text) + " is no segment of a URL.",
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
                   "cardinality says how many there are for each parent, and there is no parent.",
                   "Add parent: and an entity, or take cardinality away.");
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
  // The second reading (load_relation.cc) takes these.
  for (const std::string_view later :
       {"from_key", "unique", "copies", "assert", "ttl", "on_key_conflict", "delete"}) {
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

}  // namespace monotable::model

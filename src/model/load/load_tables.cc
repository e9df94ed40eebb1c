#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "model/load/load_context.h"
#include "model/load/node_reader.h"
#include "text/characters.h"

namespace monotable::model {

// The sections defaults, parameters and environments.

namespace {

void LoadParameter(const Node::Member& member, LoadContext* context) {
  ParameterModel parameter;
  parameter.name = member.name;
  MapReader reader(member.value, "parameters." + member.name, context->findings);
  ExpectName(member.name, member.place, reader.subject(), context->findings);
  if (member.name == "environment") {
    context->Error("bad_name", member.place, reader.subject(),
                   "A parameter cannot be called environment: {environment} is always there.",
                   "Choose another name.");
  }
  parameter.description = reader.Text("description");
  parameter.default_value = reader.Text("default");
  parameter.allowed = reader.Strings("allowed");
  const Node* value = reader.Find("default");
  const auto& allowed = parameter.allowed;
  if (value != nullptr && !allowed.empty() &&
      std::find(allowed.begin(), allowed.end(), parameter.default_value) == allowed.end()) {
    context->Error("default_not_allowed", value->place, reader.SubjectOf("default"),
                   Quoted(parameter.default_value) + " is not one of the allowed values.",
                   Suggest(parameter.default_value, allowed));
  }
  reader.Finish();
  context->model.parameters.push_back(std::move(parameter));
}

// Whether the text is a time of day such as 03:00Z.
bool IsTimeOfDay(std::string_view text) {
  const auto digit = [&](size_t at) { return text::IsDigit(text[at]); };
  if (text.size() != 6 || text[2] != ':' || text[5] != 'Z') return false;
  if (!digit(0) || !digit(1) || !digit(3) || !digit(4)) return false;
  return text.substr(0, 2) < "24" && text.substr(3, 2) < "60";
}

void ReadBackups(const Node& node, const std::string& subject, EnvironmentModel* environment,
                 LoadContext* context) {
  MapReader reader(node, subject, context->findings);
  environment->daily_backup = reader.RequiredText("daily");
  environment->keep_backups_days = reader.Integer("keep", 0, 1, 36500);
  if (!environment->daily_backup.empty() && !IsTimeOfDay(environment->daily_backup)) {
    context->Error("bad_time", reader.Find("daily")->place, reader.SubjectOf("daily"),
                   Quoted(environment->daily_backup) + " is not a time of day.",
                   "Write hours and minutes in UTC, for example \"03:00Z\".");
  }
  reader.Finish();
}

void LoadEnvironment(const Node::Member& member, LoadContext* context) {
  EnvironmentModel environment;
  environment.name = member.name;
  environment.place = member.place;
  MapReader reader(member.value, "environments." + member.name, context->findings);
  ExpectName(member.name, member.place, reader.subject(), context->findings);
  if (const Node* pitr = reader.FindMap("pitr")) {
    MapReader pitr_reader(*pitr, reader.SubjectOf("pitr"), context->findings);
    environment.pitr = true;
    environment.pitr_days = pitr_reader.Integer("days", 35, 1, 35);
    pitr_reader.Finish();
  }
  environment.deletion_protection = reader.Boolean("deletion_protection", false);
  if (const Node* backups = reader.Find("backups")) {
    ReadBackups(*backups, reader.SubjectOf("backups"), &environment, context);
  }
  reader.Finish();
  context->model.environments.push_back(std::move(environment));
}

}  // namespace

void LoadDefaults(const Node& node, LoadContext* context) {
  MapReader reader(node, "defaults", context->findings);
  if (const Node* instant = reader.Find("instant")) {
    MapReader instant_reader(*instant, "defaults.instant", context->findings);
    ReadInstantForm(&instant_reader, &context->instant_form, &context->instant_milliseconds);
    instant_reader.Finish();
  }
  if (const Node* key_values = reader.Find("key_values")) {
    MapReader key_reader(*key_values, "defaults.key_values", context->findings);
    if (const Node* forbid = key_reader.FindText("forbid")) {
      context->model.forbidden_in_keys = forbid->text;
    }
    key_reader.Finish();
  }
  context->open_enums = reader.Choice("enums", false, {{"closed", false}, {"open", true}});
  context->unknown_attributes = ReadUnknownAttributes(&reader, UnknownAttributes::kReject);
  if (const Node* envelope = reader.Find("envelope")) {
    MapReader envelope_reader(*envelope, "defaults.envelope", context->findings);
    context->envelope = envelope_reader.RequiredText("attribute");
    context->outside_envelope = envelope_reader.Strings("outside");
    envelope_reader.Finish();
  }
  reader.Finish();
}

void LoadParameters(const Node& node, LoadContext* context) {
  if (!ExpectMap(node, "parameters", context->findings)) return;
  for (const Node::Member& member : node.members) LoadParameter(member, context);
}

void LoadEnvironments(const Node& node, LoadContext* context) {
  if (!ExpectMap(node, "environments", context->findings)) return;
  for (const Node::Member& member : node.members) LoadEnvironment(member, context);
}

namespace {

// Reads "PK S": a name and one of the three types that a key may have. After a mistake the type is
// string, so that the templates of entities are still checked.
table::KeyAttribute ReadKeyAttribute(const Node& node, const std::string& subject,
                                     LoadContext* context) {
  if (!ExpectText(node, subject, context->findings)) return {};
  const size_t space = node.text.find(' ');
  table::KeyAttribute attribute{node.text.substr(0, space), item::Type::kString};
  const std::string type = space == std::string::npos ? "" : node.text.substr(space + 1);
  if (type == "N") attribute.type = item::Type::kNumber;
  if (type == "B") attribute.type = item::Type::kBinary;
  if (!IsName(attribute.name) || (type != "S" && type != "N" && type != "B")) {
    context->Error("bad_key_attribute", node.place, subject,
                   Quoted(node.text) + " does not say the name and the type of a key attribute.",
                   "Write for example \"PK S\"; the type is S, N or B.");
  }
  return attribute;
}

void ReadKeyMember(MapReader* reader, std::string_view member,
                   std::vector<table::KeyAttribute>* out, LoadContext* context) {
  const Node* node = reader->Find(member);
  if (node == nullptr) return;
  out->push_back(ReadKeyAttribute(*node, reader->SubjectOf(member), context));
}

void ReadProjection(MapReader* reader, const TableModel& table, IndexModel* index,
                    LoadContext* context) {
  const Node* node = reader->Find("project");
  if (node == nullptr) return;
  if (node->is_list()) {
    index->projection.type = table::ProjectionType::kInclude;
    for (const Node* name : reader->Texts("project")) {
      index->projection.non_key_attributes.push_back(name->text);
      context->projected.push_back({table.id, name, reader->SubjectOf("project")});
    }
    if (node->items.empty()) {
      context->Error("empty_projection", node->place, reader->SubjectOf("project"),
                     "The list of projected attributes is empty.", "Write keys instead.");
    }
    return;
  }
  index->projection.type = reader->Choice(
      "project", table::ProjectionType::kAll,
      {{"all", table::ProjectionType::kAll}, {"keys", table::ProjectionType::kKeysOnly}});
}

void ReadIndexKey(MapReader* reader, const TableModel& table, IndexModel* index,
                  LoadContext* context) {
  if (index->kind == table::IndexKind::kGlobal) {
    if (reader->Require("hash") != nullptr) {
      ReadKeyMember(reader, "hash", &index->key.hash, context);
    }
    ReadKeyMember(reader, "range", &index->key.range, context);
    index->inverted = !index->key.range.empty() && index->key.hash == table.key.range &&
                      index->key.range == table.key.hash;
    return;
  }
  if (const Node* hash = reader->Find("hash")) {
    context->Error("local_index_hash", hash->place, reader->SubjectOf("hash"),
                   "A local index has the hash key of its table.", "Remove hash.");
  }
  if (table.key.range.empty()) {
    context->Error("local_index_without_sort_key", index->place, reader->subject(),
                   "A table without a range key cannot have a local index.",
                   "Give the table a range key, or make the index global.");
  }
  index->key.hash = table.key.hash;
  if (reader->Require("range") != nullptr) {
    ReadKeyMember(reader, "range", &index->key.range, context);
  }
}

void ReadIndexes(const Node& node, const std::string& subject, TableModel* table,
                 LoadContext* context) {
  for (const Node::Member& member : node.members) {
    IndexModel index;
    index.name = member.name;
    index.place = member.place;
    MapReader reader(member.value, subject + "." + member.name, context->findings);
    if (member.name.size() < 3 || !IsName(member.name)) {
      context->Error("bad_index_name", member.place, reader.subject(),
                     Quoted(member.name) + " cannot be the name of an index.",
                     "Use 3 to 255 letters, digits, _ and -.");
    }
    if (member.name == "primary") {
      context->Error(
          "bad_index_name", member.place, reader.subject(),
          "An index cannot be called primary: entities use that name for the table's own key.",
          "Choose another name.");
    }
    index.title = reader.Text("title");
    index.kind =
        reader.Boolean("local", false) ? table::IndexKind::kLocal : table::IndexKind::kGlobal;
    ReadIndexKey(&reader, *table, &index, context);
    ReadProjection(&reader, *table, &index, context);
    reader.Finish();
    table->indexes.push_back(std::move(index));
  }
}

// DynamoDB allows one type for each key attribute of a table and its indexes.
void CheckKeyTypes(const TableModel& table, const std::string& subject, LoadContext* context) {
  std::map<std::string, item::Type> types;
  const auto check = [&](const table::KeySchema& key, Place place, const std::string& where) {
    for (const auto* attributes : {&key.hash, &key.range}) {
      for (const table::KeyAttribute& attribute : *attributes) {
        const auto [found, fresh] = types.emplace(attribute.name, attribute.type);
        if (fresh || found->second == attribute.type) continue;
        context->Error("key_type_conflict", place, where,
                       "The key attribute " + Quoted(attribute.name) + " has two types.",
                       "Give it the same type everywhere in the table.");
      }
    }
    if (!key.hash.empty() && key.hash == key.range) {
      context->Error("same_hash_and_range", place, where,
                     Quoted(key.hash.front().name) + " is both hash and range key.",
                     "Use two attributes, or no range key.");
    }
  };
  check(table.key, table.place, subject);
  for (const IndexModel& index : table.indexes) {
    check(index.key, index.place, subject + ".indexes." + index.name);
  }
}

bool IsTableNameCharacter(char c) {
  return text::IsAlphanumeric(c) || c == '_' || c == '-' || c == '.';
}

// Table names may have {environment} and parameters in them.
void CheckTableName(const Node& node, const std::string& subject, LoadContext* context) {
  std::vector<std::string> known = NamesOf(context->model.parameters);
  known.emplace_back("environment");
  const std::string& name = node.text;
  bool fine = name.size() >= 3 && name.size() <= 255;
  for (size_t at = 0; at < name.size(); ++at) {
    if (name[at] != '{') {
      fine = fine && IsTableNameCharacter(name[at]);
      continue;
    }
    const size_t end = name.find('}', at);
    if (end == std::string::npos) {
      fine = false;
      break;
    }
    const std::string parameter = name.substr(at + 1, end - at - 1);
    at = end;
    if (std::find(known.begin(), known.end(), parameter) != known.end()) continue;
    context->Error("unknown_parameter", node.place, subject,
                   Quoted(parameter) + " is not a parameter of the model.",
                   Suggest(parameter, known));
  }
  if (fine) return;
  context->Error("bad_table_name", node.place, subject,
                 Quoted(name) + " cannot be the name of a table.",
                 "Use 3 to 255 letters, digits, _, - and ., and parameters in braces.");
}

void ReadTableName(MapReader* reader, TableModel* table, LoadContext* context) {
  table->name = reader->RequiredText("name");
  if (table->name.empty()) return;
  const Node* node = reader->Find("name");
  CheckTableName(*node, reader->SubjectOf("name"), context);
  for (const TableModel& other : context->model.tables) {
    if (other.name != table->name) continue;
    context->Error("duplicate_table_name", node->place, reader->SubjectOf("name"),
                   "The table " + other.id + " is called " + Quoted(table->name) + " as well.",
                   "Give each table its own name.");
  }
}

// Reads type_attribute, version_attribute and ttl_attribute, which the server keeps beside the
// attributes of entities.
void ReadOwnAttribute(MapReader* reader, std::string_view member, std::string* out,
                      const TableModel& table, LoadContext* context) {
  const Node* node = reader->FindText(member);
  if (node == nullptr ||
      !ExpectName(node->text, node->place, reader->SubjectOf(member), context->findings)) {
    return;
  }
  *out = node->text;
  if (!table.key.Has(node->text)) return;
  context->Error("attribute_is_key", node->place, reader->SubjectOf(member),
                 Quoted(node->text) + " is a key attribute of the table.",
                 "Choose an attribute that is not a key.");
}

void ReadSettings(MapReader* reader, TableModel* table) {
  table->aliases = reader->Strings("aliases");
  table->adopt = reader->Boolean("adopt", false);
  table->billing = reader->Choice("billing", table::BillingMode::kPayPerRequest,
                                  {{"on_demand", table::BillingMode::kPayPerRequest},
                                   {"provisioned", table::BillingMode::kProvisioned}});
  using Stream = std::optional<table::StreamViewType>;
  table->stream = reader->Choice("stream", Stream(),
                                 {{"new", Stream(table::StreamViewType::kNewImage)},
                                  {"old", Stream(table::StreamViewType::kOldImage)},
                                  {"new_and_old", Stream(table::StreamViewType::kNewAndOldImages)},
                                  {"keys", Stream(table::StreamViewType::kKeysOnly)}});
  const std::string encryption = reader->Text("encryption");
  table->encrypted = !encryption.empty() && encryption != "aws_owned";
  if (table->encrypted) table->encryption_key = encryption;
  table->enforcement = reader->Choice("rules", Enforcement::kWarn,
                                      {{"enforce", Enforcement::kEnforce},
                                       {"warn", Enforcement::kWarn},
                                       {"off", Enforcement::kOff}});
}

void LoadTable(const Node::Member& member, LoadContext* context) {
  TableModel table;
  table.id = member.name;
  table.place = member.place;
  MapReader reader(member.value, "tables." + member.name, context->findings);
  ExpectName(member.name, member.place, reader.subject(), context->findings);
  ReadTableName(&reader, &table, context);
  if (const Node* keys = reader.Require("keys")) {
    MapReader key_reader(*keys, reader.SubjectOf("keys"), context->findings);
    if (key_reader.Require("hash") != nullptr) {
      ReadKeyMember(&key_reader, "hash", &table.key.hash, context);
    }
    ReadKeyMember(&key_reader, "range", &table.key.range, context);
    key_reader.Finish();
  }
  ReadOwnAttribute(&reader, "type_attribute", &table.type_attribute, table, context);
  ReadOwnAttribute(&reader, "version_attribute", &table.version_attribute, table, context);
  ReadOwnAttribute(&reader, "ttl_attribute", &table.ttl_attribute, table, context);
  ReadSettings(&reader, &table);
  if (const Node* indexes = reader.FindMap("indexes")) {
    ReadIndexes(*indexes, reader.SubjectOf("indexes"), &table, context);
  }
  reader.Finish();
  CheckKeyTypes(table, reader.subject(), context);
  context->model.tables.push_back(std::move(table));
}

// Top-level attributes that items of a table can have.
std::vector<std::string> StoredAttributes(const Model& model, const TableModel& table) {
  std::vector<std::string> names;
  for (const auto* name : {&table.type_attribute, &table.version_attribute, &table.ttl_attribute}) {
    if (!name->empty()) names.push_back(*name);
  }
  for (const EntityModel& entity : model.entities) {
    // An entity with an unknown table may belong to this table.
    if (!entity.table.empty() && entity.table != table.id) continue;
    if (!entity.envelope.empty()) names.push_back(entity.envelope);
    for (const AttributeModel& attribute : entity.attributes) names.push_back(attribute.name);
  }
  for (const IndexModel& index : table.indexes) {
    for (const table::KeyAttribute& key : index.key.hash) names.push_back(key.name);
    for (const table::KeyAttribute& key : index.key.range) names.push_back(key.name);
  }
  return names;
}

}  // namespace

void CheckProjections(LoadContext* context) {
  for (const auto& [table_id, node, subject] : context->projected) {
    const TableModel* table = context->model.FindTable(table_id);
    const std::vector<std::string> known = StoredAttributes(context->model, *table);
    if (std::find(known.begin(), known.end(), node->text) != known.end()) continue;
    context->Error("unknown_projected_attribute", node->place, subject,
                   Quoted(node->text) + " is not an attribute of any entity in the table.",
                   Suggest(node->text, known));
  }
}

void LoadTables(const Node& node, LoadContext* context) {
  if (!ExpectMap(node, "tables", context->findings)) return;
  if (node.members.empty()) {
    context->Error("no_tables", node.place, "tables", "The model has no table.",
                   "Declare at least one, for example main.");
  }
  for (const Node::Member& member : node.members) LoadTable(member, context);
}

}  // namespace monotable::model

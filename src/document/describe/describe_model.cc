#include "document/describe/describe_model.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "document/describe/describe_patterns.h"
#include "document/describe/diagrams.h"
#include "document/describe/markdown.h"
#include "model/model.h"
#include "model/plan/read_plan.h"
#include "model/type.h"

namespace monotable::document {
namespace {

std::string KeyText(const model::KeyModel& key) {
  std::string text;
  for (const model::KeyModel::Part& part : key.parts) {
    if (!text.empty()) text += " / ";
    text += Code(part.text.text());
  }
  if (key.when) text += " when " + Code(key.when->text());
  return text;
}

std::string PartText(const model::KeyModel& key, const table::KeyAttribute& attribute) {
  const model::KeyModel::Part* part = key.Find(attribute.name);
  return part == nullptr ? "" : Code(part->text.text());
}

std::string Title(const model::EntityModel& entity) {
  return entity.title.empty() || entity.title == entity.name
             ? entity.name
             : fmt::format("{} ({})", entity.name, Prose(entity.title));
}

std::string_view SetByText(model::SetBy set) {
  switch (set) {
    case model::SetBy::kClient:
      return "";
    case model::SetBy::kOnCreate:
      return "set by the server when the item is created";
    case model::SetBy::kOnWrite:
      return "set by the server with every write";
    case model::SetBy::kCallerOnCreate:
      return "who created the item";
    case model::SetBy::kCallerOnWrite:
      return "who wrote the item last";
  }
  return "";
}

// Further notes on an attribute, as Markdown: who sets it, defaults, references.
std::string DescribeNotes(const model::AttributeModel& attribute) {
  std::vector<std::string> notes;
  if (!attribute.description.empty()) notes.push_back(Prose(attribute.description));
  if (attribute.set != model::SetBy::kClient) notes.emplace_back(SetByText(attribute.set));
  if (attribute.change == model::ChangePolicy::kNever) notes.emplace_back("never changes");
  if (attribute.change == model::ChangePolicy::kOnce)
    notes.emplace_back("once given, never changes");
  if (attribute.change == model::ChangePolicy::kByOperation)
    notes.emplace_back("set by operations only");
  if (attribute.derive) notes.push_back("derived: " + Code(attribute.derive->text()));
  if (attribute.default_value) notes.push_back("default " + Code(attribute.default_value->text));
  if (!attribute.default_from.empty()) {
    notes.push_back("default from " + Code(attribute.default_from));
  }
  if (!attribute.references.empty()) notes.push_back("refers to " + attribute.references);
  if (attribute.hidden) notes.emplace_back("hidden");
  if (!attribute.type.pattern.empty()) notes.push_back("matches " + Code(attribute.type.pattern));
  return fmt::format("{}", fmt::join(notes, "; "));
}

std::string AttributeTable(const model::EntityModel& entity) {
  MarkdownTable table({"Attribute", "Type", "Required", "Notes"});
  for (const model::AttributeModel& attribute : entity.attributes) {
    std::string notes = DescribeNotes(attribute);
    const auto& from_key = entity.from_key;
    if (std::find(from_key.begin(), from_key.end(), attribute.name) != from_key.end()) {
      notes += notes.empty() ? "read from the key" : "; read from the key";
    }
    table.Add({Code(attribute.name), Prose(model::DescribeType(attribute.type)),
               attribute.required ? "yes" : "", notes});
  }
  return table.empty() ? "" : table.Text();
}

std::string CopyText(const model::CopyModel& copy) {
  std::string text = fmt::format("{} is copied from the {} that {} names, {}", Code(copy.attribute),
                                 Code(copy.source_entity + "." + copy.source_attribute),
                                 Code(copy.via), copy.live ? "and follows it" : "once");
  if (copy.freeze_when) text += " until " + Code(copy.freeze_when->text());
  return text + ".";
}

std::string TtlText(const model::TtlModel& ttl) {
  constexpr int64_t kDay = 86'400;
  const std::string after = ttl.after_seconds % kDay == 0
                                ? fmt::format("{} days", ttl.after_seconds / kDay)
                                : fmt::format("{} seconds", ttl.after_seconds);
  std::string text = fmt::format("Expires {} after {}", after, Code(ttl.base));
  if (ttl.when) text += " once " + Code(ttl.when->text());
  if (ttl.hide_expired) text += "; expired items are hidden at once";
  return text + ".";
}

std::string UniqueText(const model::UniqueModel& unique) {
  std::vector<std::string> fields;
  for (const model::Template& field : unique.fields) fields.push_back(field.text());
  std::string text = fmt::format("Unique: {}", CodeList(fields));
  if (!unique.scope.empty()) text += " among items with the same " + CodeList(unique.scope);
  return fmt::format("{} ({}).", text, Code(unique.name));
}

std::string_view GenerateText(model::IdModel::Generate generate) {
  switch (generate) {
    case model::IdModel::Generate::kNone:
      return "given by the client";
    case model::IdModel::Generate::kCounter:
      return "a counter of the server";
    case model::IdModel::Generate::kUlid:
      return "a ULID of the server";
    case model::IdModel::Generate::kUuid:
      return "a UUID of the server";
  }
  return "";
}

std::vector<std::string> RuleLines(const model::EntityModel& entity) {
  std::vector<std::string> lines;
  if (entity.id) {
    std::string line = fmt::format("Its id is {}, {}", Code(entity.id->attribute),
                                   GenerateText(entity.id->generate));
    if (!entity.id->format.empty()) line += ", as " + Code(entity.id->format);
    lines.push_back(line + ".");
  }
  if (!entity.envelope.empty()) {
    std::string line = fmt::format("Attributes are inside the map {}", Code(entity.envelope));
    if (!entity.outside_envelope.empty()) line += " but " + CodeList(entity.outside_envelope);
    lines.push_back(line + ".");
  }
  for (const model::AssertModel& rule : entity.rules) {
    lines.push_back(fmt::format("{}{} ({}).", Code(rule.assertion.text()),
                                rule.on_create_only ? " when it is created" : "", Code(rule.name)));
  }
  for (const model::UniqueModel& unique : entity.unique) lines.push_back(UniqueText(unique));
  for (const model::CopyModel& copy : entity.copies) lines.push_back(CopyText(copy));
  if (entity.ttl) lines.push_back(TtlText(*entity.ttl));
  if (entity.on_key_change == model::KeyChange::kMove) {
    lines.emplace_back("If its primary key changes, one transaction moves the item.");
  }
  if (!entity.bump_attribute.empty()) {
    lines.push_back(fmt::format("If its key is taken, {} is increased by {} ms.",
                                Code(entity.bump_attribute), entity.bump_ms));
  }
  if (!entity.restrict_delete_if.empty()) {
    lines.push_back(
        fmt::format("Cannot be deleted while {} finds an item.", Code(entity.restrict_delete_if)));
  }
  if (entity.cascade_collection) lines.emplace_back("Deleting it deletes its collection.");
  return lines;
}

// The entity chart of a table: what each entity puts into the keys of the table and its indexes.
std::string EntityChart(const model::Model& model, const model::TableModel& table) {
  std::vector<std::string> header = {"Entity"};
  std::vector<table::KeyAttribute> key = table.key.hash;
  key.insert(key.end(), table.key.range.begin(), table.key.range.end());
  for (const table::KeyAttribute& attribute : key) header.push_back(Code(attribute.name));
  for (const model::IndexModel& index : table.indexes) header.push_back(index.name);
  MarkdownTable chart(header);
  for (const model::EntityModel& entity : model.entities) {
    if (entity.table != table.id) continue;
    std::vector<std::string> row = {Title(entity)};
    for (const table::KeyAttribute& attribute : key) {
      row.push_back(PartText(entity.primary(), attribute));
    }
    for (const model::IndexModel& index : table.indexes) {
      const model::KeyModel* keys = entity.FindKeys(index.name);
      row.push_back(keys == nullptr ? "" : KeyText(*keys));
    }
    chart.Add(std::move(row));
  }
  return chart.empty() ? "" : chart.Text();
}

// The section of an entity: its attributes and rules.
std::string DescribeEntity(const model::EntityModel& entity) {
  std::string text = fmt::format("### {}\n\n", Title(entity));
  if (!entity.description.empty()) text += Prose(entity.description) + "\n\n";
  text += AttributeTable(entity);
  const std::vector<std::string> lines = RuleLines(entity);
  for (const std::string& line : lines) text += "- " + line + "\n";
  if (!lines.empty()) text += "\n";
  return text;
}

std::string KeyText(const table::KeySchema& key) {
  std::string text;
  for (const auto* part : {&key.hash, &key.range}) {
    for (const table::KeyAttribute& attribute : *part) {
      if (!text.empty()) text += " / ";
      text += Code(attribute.name);
    }
  }
  return text;
}

std::string ProjectionText(const table::Projection& projection) {
  switch (projection.type) {
    case table::ProjectionType::kAll:
      return "everything";
    case table::ProjectionType::kKeysOnly:
      return "keys only";
    case table::ProjectionType::kInclude:
      return CodeList(projection.non_key_attributes);
  }
  return "";
}

std::string_view StreamText(table::StreamViewType view) {
  switch (view) {
    case table::StreamViewType::kKeysOnly:
      return "keys";
    case table::StreamViewType::kNewImage:
      return "new images";
    case table::StreamViewType::kOldImage:
      return "old images";
    case table::StreamViewType::kNewAndOldImages:
      return "new and old images";
  }
  return "";
}

std::string TableSection(const model::Model& model, const model::TableModel& table) {
  std::string text = fmt::format("## Table {}\n\n", Code(table.name));
  std::vector<std::string> facts = {fmt::format("Key: {}", KeyText(table.key))};
  facts.emplace_back(table.billing == table::BillingMode::kPayPerRequest ? "on demand"
                                                                         : "provisioned");
  if (table.adopt) facts.emplace_back("exists already and is never changed");
  if (!table.type_attribute.empty()) facts.push_back("type in " + Code(table.type_attribute));
  if (!table.version_attribute.empty()) {
    facts.push_back("version in " + Code(table.version_attribute));
  }
  if (!table.ttl_attribute.empty()) facts.push_back("expiry in " + Code(table.ttl_attribute));
  if (table.stream) facts.push_back(fmt::format("stream of {}", StreamText(*table.stream)));
  if (table.encrypted) {
    const std::string key =
        table.encryption_key.empty() ? std::string("KMS") : Code(table.encryption_key);
    facts.push_back("encrypted with " + key);
  }
  if (!table.aliases.empty()) facts.push_back("also called " + CodeList(table.aliases));
  text += fmt::format("{}.\n\n", fmt::join(facts, "; "));

  MarkdownTable indexes({"Index", "Keys", "Holds", "For"});
  for (const model::IndexModel& index : table.indexes) {
    indexes.Add({Code(index.name) + (index.kind == table::IndexKind::kLocal ? " (local)" : ""),
                 KeyText(index.key), ProjectionText(index.projection), Prose(index.title)});
  }
  if (!indexes.empty()) text += indexes.Text();
  return text + EntityChart(model, table);
}

std::string EnvironmentSection(const model::Model& model) {
  MarkdownTable table({"Environment", "Point-in-time recovery", "Deletion protection", "Backups"});
  for (const model::EnvironmentModel& environment : model.environments) {
    table.Add({Code(environment.name),
               environment.pitr ? fmt::format("{} days", environment.pitr_days) : "no",
               environment.deletion_protection ? "yes" : "no",
               environment.daily_backup.empty()
                   ? "no"
                   : fmt::format("daily at {}, kept {} days", environment.daily_backup,
                                 environment.keep_backups_days)});
  }
  return table.empty() ? "" : "## Environments\n\n" + table.Text();
}

std::string EnumSection(const model::EnumModel& values) {
  std::string text = fmt::format("### {}\n\n", values.name);
  MarkdownTable table({"Value", "Meaning"});
  for (const model::EnumModel::Value& value : values.values) {
    table.Add({Code(value.text), Prose(value.title)});
  }
  text += table.Text();
  if (values.open) text += "Other values are accepted, with a warning.\n\n";
  if (values.transitions == model::EnumModel::Transitions::kAny) {
    text += "Any value may become any other.\n\n";
  }
  return text + StateDiagram(values);
}

std::string_view ActionText(model::OperationModel::Step::Action action) {
  switch (action) {
    case model::OperationModel::Step::Action::kPut:
      return "put";
    case model::OperationModel::Step::Action::kUpdate:
      return "update";
    case model::OperationModel::Step::Action::kUpsert:
      return "upsert";
    case model::OperationModel::Step::Action::kDelete:
      return "delete";
    case model::OperationModel::Step::Action::kMove:
      return "move";
    case model::OperationModel::Step::Action::kCheck:
      return "check";
  }
  return "";
}

std::string OperationSection(const model::OperationModel& operation) {
  std::string text = fmt::format("### {}\n\n", Prose(operation.name));
  if (!operation.description.empty()) text += Prose(operation.description) + "\n\n";
  if (!operation.route.empty()) {
    text += Code(operation.method + " " + operation.route) + "\n\n";
  }
  for (const model::OperationModel::Step& step : operation.steps) {
    text += fmt::format("1. {} {}", ActionText(step.action), Prose(step.entity));
    if (!step.each.empty()) text += " for each of " + Code(step.each);
    std::vector<std::string> changes;
    for (const auto& [attribute, value] : step.set) {
      changes.push_back(fmt::format("{} = {}", attribute, value.text()));
    }
    if (!changes.empty()) text += ": " + CodeList(changes);
    if (step.when) text += " if " + Code(step.when->text());
    text += "\n";
  }
  return text + "\n";
}

std::string PatternSection(const model::Model& model) {
  if (model.patterns.empty()) return "";
  std::vector<model::ReadPlan> plans;
  for (const model::PatternModel& pattern : model.patterns)
    plans.push_back(model::PlanPattern(model, pattern));
  std::string text = "## Access patterns\n\n" + PatternTable(model, plans);
  text += AccessDiagram(model, plans);
  for (size_t i = 0; i < plans.size(); ++i) text += DescribePattern(model.patterns[i], plans[i]);
  return text;
}

std::string CollectionSection(const model::Model& model) {
  MarkdownTable table({"Collection", "Partition", "Root", "Members"});
  for (const model::CollectionModel& collection : model.collections) {
    std::vector<std::string> members;
    for (const model::CollectionModel::Member& member : collection.members) {
      members.push_back(member.name + ": " + member.entity + (member.many ? "[]" : ""));
    }
    table.Add({Prose(collection.name), Code(collection.partition.text()), Prose(collection.root),
               CodeList(members)});
  }
  return table.empty() ? "" : "## Collections\n\n" + table.Text();
}

std::string AlarmSection(const model::Model& model) {
  MarkdownTable table({"Alarm", "Metric", "Rings when"});
  for (const model::AlarmModel& alarm : model.alarms) {
    table.Add({Prose(alarm.name), Code(alarm.metric),
               fmt::format("{} {} {} in {} of {} s", Prose(alarm.statistic),
                           Prose(alarm.comparison), alarm.threshold.ToString(),
                           alarm.periods == 1 ? std::string("one period")
                                              : fmt::format("{} periods", alarm.periods),
                           alarm.period_seconds)});
  }
  return table.empty() ? "" : "## Alarms\n\n" + table.Text();
}

}  // namespace

std::string DescribeModel(const model::Model& model) {
  std::string text = fmt::format("# {}\n\n", Prose(model.title.empty() ? model.name : model.title));
  text += fmt::format("Model {}{}, written by `monotable model docs`.\n\n", Code(model.name),
                      model.version.empty() ? "" : " " + Prose(model.version));
  if (!model.description.empty()) text += Prose(model.description) + "\n\n";
  for (const model::TableModel& table : model.tables) text += TableSection(model, table);
  text += EnvironmentSection(model);
  text += "## Entities\n\n" + EntityDiagram(model);
  for (const model::EntityModel& entity : model.entities) text += DescribeEntity(entity);
  if (!model.enums.empty()) text += "## Enums\n\n";
  for (const model::EnumModel& values : model.enums) text += EnumSection(values);
  text += CollectionSection(model) + PatternSection(model);
  if (!model.operations.empty()) text += "## Operations\n\n";
  for (const model::OperationModel& operation : model.operations)
    text += OperationSection(operation);
  text += AlarmSection(model);
  text.pop_back();  // the empty line at the end
  return text;
}

}  // namespace monotable::document

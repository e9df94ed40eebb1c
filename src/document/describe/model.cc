#include "document/describe/model.h"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "document/describe/diagrams.h"
#include "document/describe/entities.h"
#include "document/describe/markdown.h"
#include "document/describe/patterns.h"
#include "model/plan/plan.h"

namespace monotable::document {
namespace {

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
  if (table.encrypted)
    facts.push_back("encrypted with " + (table.encryption_key.empty()
                                             ? std::string("KMS")
                                             : Code(table.encryption_key)));
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

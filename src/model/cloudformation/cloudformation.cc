#include "model/cloudformation/cloudformation.h"

#include <vector>

#include <fmt/format.h>

#include "json/json_writer.h"
#include "model/cloudformation/alarm.h"
#include "model/cloudformation/choices.h"
#include "model/cloudformation/names.h"
#include "model/cloudformation/table.h"
#include "model/describe/json.h"

namespace monotable::model {
namespace {

// What the model says and the template does not do, so that nobody believes that it does.
std::vector<std::string> NotIncluded(const Model& model, const EnvironmentModel* environment) {
  std::vector<std::string> notes;
  for (const TableModel& table : model.tables) {
    if (table.adopt) notes.push_back(fmt::format("Table {} exists already.", table.name));
  }
  for (const EnvironmentModel& each : model.environments) {
    if (each.daily_backup.empty() || (environment != nullptr && environment != &each)) continue;
    notes.push_back(fmt::format("Daily backups of {} at {}, kept {} days: use AWS Backup.",
                                each.name, each.daily_backup, each.keep_backups_days));
  }
  return notes;
}

void WriteMetadata(const Model& model, const EnvironmentModel* environment, json::Writer* out) {
  out->Key("Metadata").BeginObject().Key("Monotable").BeginObject();
  out->Key("Model").String(model.name);
  if (!model.version.empty()) out->Key("Version").String(model.version);
  const std::vector<std::string> notes = NotIncluded(model, environment);
  if (!notes.empty()) {
    out->Key("NotIncluded").BeginArray();
    for (const std::string& note : notes) out->String(note);
    out->EndArray();
  }
  out->EndObject().EndObject();
}

void WriteResources(const Model& model, const std::vector<const TableModel*>& tables,
                    const Choices& choices, json::Writer* out) {
  out->Key("Resources").BeginObject();
  for (const TableModel* table : tables) {
    out->Key(TableLogicalId(model, *table)).BeginObject();
    out->Key("Type").String("AWS::DynamoDB::Table").Key("Properties");
    WriteTableProperties(*table, choices, out);
    out->EndObject();
  }
  for (const TableModel* table : tables) {
    const AlarmTarget target = {TableLogicalId(model, *table), tables.size() > 1 ? table->id : "",
                                std::string(choices.environment())};
    for (const AlarmModel& alarm : model.alarms) WriteAlarm(alarm, target, out);
  }
  out->EndObject();
}

void WriteOutputs(const Model& model, const std::vector<const TableModel*>& tables,
                  json::Writer* out) {
  out->Key("Outputs").BeginObject();
  for (const TableModel* table : tables) {
    const std::string id = TableLogicalId(model, *table);
    out->Key(id + "Name").BeginObject().Key("Value");
    WriteRef(id, out);
    out->EndObject();
    out->Key(id + "Arn").BeginObject().Key("Value").BeginObject().Key("Fn::GetAtt");
    out->BeginArray().String(id).String("Arn").EndArray().EndObject().EndObject();
  }
  out->EndObject();
}

}  // namespace

Result<std::string> ToCloudFormation(const Model& model, std::string_view environment) {
  const EnvironmentModel* chosen = nullptr;
  std::vector<std::string> names;
  for (const EnvironmentModel& each : model.environments) {
    names.push_back(each.name);
    if (each.name == environment) chosen = &each;
  }
  if (!environment.empty() && chosen == nullptr) {
    return Error::Validation(fmt::format(
        "There is no environment '{}'; the model has {}.", environment,
        names.empty() ? std::string("none") : fmt::format("{}", fmt::join(names, ", "))));
  }
  std::vector<const TableModel*> tables;
  for (const TableModel& table : model.tables) {
    if (!table.adopt) tables.push_back(&table);
  }
  if (tables.empty()) {
    return Error::Validation("All tables of the model exist already; there is nothing to create.");
  }

  const Choices choices(model, chosen);
  std::string text;
  json::Writer out(&text);
  out.BeginObject().Key("AWSTemplateFormatVersion").String("2010-09-09");
  out.Key("Description").String(model.title.empty() ? model.name : model.title);
  WriteMetadata(model, chosen, &out);
  choices.WriteParameters(&out);
  choices.WriteMappings(&out);
  choices.WriteConditions(&out);
  WriteResources(model, tables, choices, &out);
  WriteOutputs(model, tables, &out);
  out.EndObject();
  return Indented(text) + "\n";
}

}  // namespace monotable::model

#include "document/cloudformation/cloudformation.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "document/cloudformation/stack_choices.h"
#include "document/indented_json.h"
#include "json/json_writer.h"
#include "model/model.h"
#include "table/definition.h"
#include "wire/table_json.h"

namespace monotable::document {
namespace {

// The table for which an alarm of the model is written.
struct AlarmTarget {
  std::string table_id;     // logical id of the table
  std::string suffix;       // of ids and names, if several tables have the alarm
  std::string environment;  // filled into names; empty to leave it to the parameter
};

// The operations of the data plane. One alarm may combine no more metrics than these.
constexpr std::array<std::string_view, 10> kOperations = {
    "GetItem",          "BatchGetItem",       "Query",      "Scan",
    "PutItem",          "UpdateItem",         "DeleteItem", "BatchWriteItem",
    "TransactGetItems", "TransactWriteItems",
};

bool HasOperationDimension(std::string_view metric) {
  return metric == "ThrottledRequests" || metric == "SystemErrors" ||
         metric == "SuccessfulRequestLatency" || metric == "ReturnedItemCount";
}

// UserErrors counts the requests of the account in a region; no dimension tells tables apart.
bool HasNoDimension(std::string_view metric) {
  return metric == "UserErrors";
}

std::string_view ComparisonName(std::string_view comparison) {
  if (comparison == ">=") return "GreaterThanOrEqualToThreshold";
  if (comparison == "<") return "LessThanThreshold";
  if (comparison == "<=") return "LessThanOrEqualToThreshold";
  return "GreaterThanThreshold";
}

bool IsPercentile(std::string_view statistic) {
  return statistic.size() > 1 && statistic[0] == 'p' && statistic[1] >= '0' && statistic[1] <= '9';
}

void WriteDimension(std::string_view name, json::Writer* out) {
  out->BeginObject().Key("Name").String(name).Key("Value");
}

void WriteTableDimension(const AlarmTarget& target, json::Writer* out) {
  WriteDimension("TableName", out);
  WriteRef(target.table_id, out);
  out->EndObject();
}

// Writes the members that every alarm has.
void WriteThreshold(const model::AlarmModel& alarm, json::Writer* out) {
  out->Key("EvaluationPeriods").Integer(alarm.periods);
  out->Key("Threshold").Raw(alarm.threshold.ToString());
  out->Key("ComparisonOperator").String(ComparisonName(alarm.comparison));
  // Metrics of errors and throttles have no data while all is well.
  out->Key("TreatMissingData").String("notBreaching");
}

void BeginAlarm(const model::AlarmModel& alarm, const AlarmTarget& target, std::string_view kind,
                json::Writer* out) {
  const std::string suffix = target.suffix.empty() ? "" : "-" + target.suffix;
  const std::string name = alarm.name + suffix + std::string(kind);
  out->Key(LogicalId(name) + "Alarm").BeginObject();
  out->Key("Type").String("AWS::CloudWatch::Alarm").Key("Properties").BeginObject();
  out->Key("AlarmName");
  WriteFilledIn(name, target.environment, out);
}

void WriteTableAlarm(const model::AlarmModel& alarm, const AlarmTarget& target, json::Writer* out) {
  BeginAlarm(alarm, target, "", out);
  out->Key("Namespace").String("AWS/DynamoDB").Key("MetricName").String(alarm.metric);
  if (!HasNoDimension(alarm.metric)) {
    out->Key("Dimensions").BeginArray();
    WriteTableDimension(target, out);
    out->EndArray();
  }
  out->Key(IsPercentile(alarm.statistic) ? "ExtendedStatistic" : "Statistic");
  out->String(alarm.statistic).Key("Period").Integer(alarm.period_seconds);
  WriteThreshold(alarm, out);
  out->EndObject().EndObject();
}

void WriteOperationAlarm(const model::AlarmModel& alarm, const AlarmTarget& target,
                         json::Writer* out) {
  BeginAlarm(alarm, target, "-by-operation", out);
  out->Key("Metrics").BeginArray();
  for (size_t i = 0; i < kOperations.size(); ++i) {
    out->BeginObject().Key("Id").String(fmt::format("m{}", i + 1)).Key("ReturnData").Bool(false);
    out->Key("MetricStat").BeginObject().Key("Metric").BeginObject();
    out->Key("Namespace").String("AWS/DynamoDB").Key("MetricName").String(alarm.metric);
    out->Key("Dimensions").BeginArray();
    WriteTableDimension(target, out);
    WriteDimension("Operation", out);
    out->String(kOperations[i]).EndObject().EndArray().EndObject();
    out->Key("Period").Integer(alarm.period_seconds).Key("Stat").String(alarm.statistic);
    out->EndObject().EndObject();
  }
  // Counts add up. For latencies and the like, the worst operation decides.
  const bool adds_up = alarm.statistic == "Sum" || alarm.statistic == "SampleCount";
  out->BeginObject().Key("Id").String("all").Key("ReturnData").Bool(true);
  out->Key("Expression").String(adds_up ? "SUM(METRICS())" : "MAX(METRICS())").EndObject();
  out->EndArray();
  WriteThreshold(alarm, out);
  out->EndObject().EndObject();
}

// Writes an alarm as resources of type AWS::CloudWatch::Alarm. DynamoDB publishes some metrics only
// with the dimensions TableName and Operation, so that an alarm on TableName alone never gets data.
// For these metrics a second alarm combines the operations.
void WriteAlarm(const model::AlarmModel& alarm, const AlarmTarget& target, json::Writer* out) {
  WriteTableAlarm(alarm, target, out);
  if (HasOperationDimension(alarm.metric)) WriteOperationAlarm(alarm, target, out);
}

// The key that DynamoDB uses when none is named. CloudFormation wants it left out.
constexpr std::string_view kManagedKey = "alias/aws/dynamodb";

void WriteAttributes(const model::TableModel& table, json::Writer* out) {
  std::vector<const table::KeySchema*> keys = {&table.key};
  for (const model::IndexModel& index : table.indexes) keys.push_back(&index.key);
  wire::WriteAttributeDefinitions(wire::AttributesOf(keys), out);
}

void WriteThroughput(const model::TableModel& table, json::Writer* out) {
  if (table.billing != table::BillingMode::kProvisioned) return;
  out->Key("ProvisionedThroughput").BeginObject().Key("ReadCapacityUnits");
  WriteRef(kReadUnitsParameter, out);
  out->Key("WriteCapacityUnits");
  WriteRef(kWriteUnitsParameter, out);
  out->EndObject();
}

void WriteIndexes(const model::TableModel& table, table::IndexKind kind, json::Writer* out) {
  std::vector<const model::IndexModel*> indexes;
  for (const model::IndexModel& index : table.indexes) {
    if (index.kind == kind) indexes.push_back(&index);
  }
  if (indexes.empty()) return;
  const bool global = kind == table::IndexKind::kGlobal;
  out->Key(global ? "GlobalSecondaryIndexes" : "LocalSecondaryIndexes").BeginArray();
  for (const model::IndexModel* index : indexes) {
    out->BeginObject().Key("IndexName").String(index->name);
    wire::WriteKeySchema(index->key, out);
    wire::WriteProjection(index->projection, out);
    if (global) WriteThroughput(table, out);
    out->EndObject();
  }
  out->EndArray();
}

void WriteEncryption(const model::TableModel& table, const Choices& choices, json::Writer* out) {
  if (!table.encrypted && !choices.TakesKmsKey()) return;
  const std::string_view key =
      table.encryption_key == kManagedKey ? std::string_view() : table.encryption_key;
  out->Key("SSESpecification").BeginObject();
  out->Key("SSEEnabled").Bool(true).Key("SSEType").String("KMS");
  if (!key.empty() || choices.TakesKmsKey()) {
    out->Key("KMSMasterKeyId");
    choices.WriteKmsKey(key, out);
  }
  out->EndObject();
}

// Writes the properties of a table as a resource of type AWS::DynamoDB::Table.
void WriteTableProperties(const model::TableModel& table, const Choices& choices,
                          json::Writer* out) {
  out->BeginObject().Key("TableName");
  WriteFilledIn(table.name, choices.environment(), out);
  out->Key("BillingMode").String(table::BillingModeName(table.billing));
  WriteThroughput(table, out);
  WriteAttributes(table, out);
  wire::WriteKeySchema(table.key, out);
  WriteIndexes(table, table::IndexKind::kLocal, out);
  WriteIndexes(table, table::IndexKind::kGlobal, out);
  WriteEncryption(table, choices, out);
  out->Key("PointInTimeRecoverySpecification");
  choices.WritePitr(out);
  if (!table.ttl_attribute.empty()) {
    out->Key("TimeToLiveSpecification").BeginObject();
    out->Key("AttributeName").String(table.ttl_attribute).Key("Enabled").Bool(true).EndObject();
  }
  if (table.stream) {
    out->Key("StreamSpecification").BeginObject();
    out->Key("StreamViewType").String(table::StreamViewName(*table.stream)).EndObject();
  }
  out->Key("DeletionProtectionEnabled");
  choices.WriteDeletionProtection(out);
  out->EndObject();
}

// Lists what the model declares but the template does not do, so that nobody relies on it.
std::vector<std::string> NotIncluded(const model::Model& model,
                                     const model::EnvironmentModel* environment) {
  std::vector<std::string> notes;
  for (const model::TableModel& table : model.tables) {
    if (table.adopt) notes.push_back(fmt::format("Table {} exists already.", table.name));
  }
  for (const model::EnvironmentModel& each : model.environments) {
    if (each.daily_backup.empty() || (environment != nullptr && environment != &each)) continue;
    notes.push_back(fmt::format("Daily backups of {} at {}, kept {} days: use AWS Backup.",
                                each.name, each.daily_backup, each.keep_backups_days));
  }
  return notes;
}

void WriteMetadata(const model::Model& model, const model::EnvironmentModel* environment,
                   json::Writer* out) {
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

void WriteResources(const model::Model& model, const std::vector<const model::TableModel*>& tables,
                    const Choices& choices, json::Writer* out) {
  out->Key("Resources").BeginObject();
  for (const model::TableModel* table : tables) {
    out->Key(TableLogicalId(model, *table)).BeginObject();
    out->Key("Type").String("AWS::DynamoDB::Table").Key("Properties");
    WriteTableProperties(*table, choices, out);
    out->EndObject();
  }
  for (const model::TableModel* table : tables) {
    const AlarmTarget target = {TableLogicalId(model, *table), tables.size() > 1 ? table->id : "",
                                std::string(choices.environment())};
    for (const model::AlarmModel& alarm : model.alarms) WriteAlarm(alarm, target, out);
  }
  out->EndObject();
}

void WriteOutputs(const model::Model& model, const std::vector<const model::TableModel*>& tables,
                  json::Writer* out) {
  out->Key("Outputs").BeginObject();
  for (const model::TableModel* table : tables) {
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

Result<std::string> ToCloudFormation(const model::Model& model, std::string_view environment) {
  const model::EnvironmentModel* chosen = nullptr;
  std::vector<std::string> names;
  for (const model::EnvironmentModel& each : model.environments) {
    names.push_back(each.name);
    if (each.name == environment) chosen = &each;
  }
  if (!environment.empty() && chosen == nullptr) {
    return Error::Validation(fmt::format(
        "There is no environment '{}'; the model has {}.", environment,
        names.empty() ? std::string("none") : fmt::format("{}", fmt::join(names, ", "))));
  }
  std::vector<const model::TableModel*> tables;
  for (const model::TableModel& table : model.tables) {
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

}  // namespace monotable::document

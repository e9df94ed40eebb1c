#include "document/cloudformation/alarm.h"

#include <array>

#include <fmt/format.h>

#include "document/cloudformation/names.h"

namespace monotable::document {
namespace {

// Of the data plane, and as many as one alarm may combine.
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

// The members that an alarm has whatever it looks at.
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
  // Counts add up; of latencies and the like the worst operation decides.
  const bool adds_up = alarm.statistic == "Sum" || alarm.statistic == "SampleCount";
  out->BeginObject().Key("Id").String("all").Key("ReturnData").Bool(true);
  out->Key("Expression").String(adds_up ? "SUM(METRICS())" : "MAX(METRICS())").EndObject();
  out->EndArray();
  WriteThreshold(alarm, out);
  out->EndObject().EndObject();
}

}  // namespace

void WriteAlarm(const model::AlarmModel& alarm, const AlarmTarget& target, json::Writer* out) {
  WriteTableAlarm(alarm, target, out);
  if (HasOperationDimension(alarm.metric)) WriteOperationAlarm(alarm, target, out);
}

}  // namespace monotable::document

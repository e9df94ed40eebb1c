#include "operations/backups.h"

#include <span>
#include <string>
#include <string_view>

#include "api/dynamodb/codecs.h"
#include "api/dynamodb/operation.h"
#include "api/dynamodb/table_parameters.h"
#include "operations/restores.h"
#include "table/definition.h"
#include "wire/table_json.h"

namespace monotable::api::dynamodb {
namespace shapes {
namespace {

constexpr Shape kBackupName = LengthFirst(Bounded(Kind::kString, 3, 255, Pattern::kName));

constexpr Member kCreateBackupMembers[] = {
    {"TableName", &kTableName, true},
    {"BackupName", &kBackupName, true},
};

constexpr Member kBackupArnMembers[] = {{"BackupArn", &kBackupArn, true}};

constexpr std::string_view kBackupTypeNames[] = {"USER", "SYSTEM", "AWS_BACKUP", "ALL"};
constexpr Shape kBackupType = Enumeration(kBackupTypeNames);
constexpr Member kListBackupsMembers[] = {
    {"TableName", &kTableName},
    {"Limit", &kListLimit},
    {"TimeRangeLowerBound", &kTime},
    {"TimeRangeUpperBound", &kTime},
    {"ExclusiveStartBackupArn", &kBackupArn},
    {"BackupType", &kBackupType},
};

constexpr Shape kRecoveryPeriod = Bounded(Kind::kInteger, 1, 35);
constexpr Member kPointInTimeRecoveryMembers[] = {
    {"PointInTimeRecoveryEnabled", &kFlag, true},
    {"RecoveryPeriodInDays", &kRecoveryPeriod},
};
constexpr Shape kPointInTimeRecovery =
    Structure("PointInTimeRecoverySpecification", kPointInTimeRecoveryMembers);
constexpr Member kUpdateContinuousBackupsMembers[] = {
    {"TableName", &kTableName, true},
    {"PointInTimeRecoverySpecification", &kPointInTimeRecovery, true},
};

constexpr Shape kCreateBackup = Structure("CreateBackupInput", kCreateBackupMembers);
constexpr Shape kDescribeBackup = Structure("DescribeBackupInput", kBackupArnMembers);
constexpr Shape kDeleteBackup = Structure("DeleteBackupInput", kBackupArnMembers);
constexpr Shape kListBackups = Structure("ListBackupsInput", kListBackupsMembers);
constexpr Shape kUpdateContinuousBackups =
    Structure("UpdateContinuousBackupsInput", kUpdateContinuousBackupsMembers);
constexpr Shape kDescribeContinuousBackups =
    Structure("DescribeContinuousBackupsInput", kTableNameMembers);

constexpr Member kRestoreFromBackupMembers[] = {
    {"TargetTableName", &kNewTableName, true},
    {"BackupArn", &kBackupArn, true},
    {"BillingModeOverride", &kBillingMode},
    {"GlobalSecondaryIndexOverride", &kGlobalIndexes},
    {"LocalSecondaryIndexOverride", &kLocalIndexes},
    {"ProvisionedThroughputOverride", &kThroughput},
    {"OnDemandThroughputOverride", &kOnDemand},
    {"SSESpecificationOverride", &kSse},
};
constexpr Shape kRestoreTableFromBackup =
    Structure("RestoreTableFromBackupInput", kRestoreFromBackupMembers);

constexpr Member kRestoreToPointInTimeMembers[] = {
    {"SourceTableArn", &kTableArn},
    {"SourceTableName", &kTableName},
    {"TargetTableName", &kNewTableName, true},
    {"UseLatestRestorableTime", &kFlag},
    {"RestoreDateTime", &kTime},
    {"BillingModeOverride", &kBillingMode},
    {"GlobalSecondaryIndexOverride", &kGlobalIndexes},
    {"LocalSecondaryIndexOverride", &kLocalIndexes},
    {"ProvisionedThroughputOverride", &kThroughput},
    {"OnDemandThroughputOverride", &kOnDemand},
    {"SSESpecificationOverride", &kSse},
};
constexpr Shape kRestoreTableToPointInTime =
    Structure("RestoreTableToPointInTimeInput", kRestoreToPointInTimeMembers);

}  // namespace
}  // namespace shapes

namespace {

constexpr EnumName<operations::BackupTypeFilter> kBackupTypes[] = {
    {"USER", operations::BackupTypeFilter::kUser},
    {"SYSTEM", operations::BackupTypeFilter::kSystem},
    {"AWS_BACKUP", operations::BackupTypeFilter::kAwsBackup},
    {"ALL", operations::BackupTypeFilter::kAll},
};

operations::RestoreOverrides DecodeOverrides(const Fields& fields) {
  operations::RestoreOverrides overrides;
  overrides.billing_mode = DecodeBillingMode(fields, "BillingModeOverride");
  overrides.local_indexes = DecodeList(fields, "LocalSecondaryIndexOverride", DecodeIndex);
  overrides.global_indexes = DecodeList(fields, "GlobalSecondaryIndexOverride", DecodeIndex);
  overrides.throughput = DecodeStructure(fields, "ProvisionedThroughputOverride", DecodeThroughput);
  overrides.on_demand_throughput =
      DecodeStructure(fields, "OnDemandThroughputOverride", DecodeOnDemandThroughput);
  overrides.sse = DecodeStructure(fields, "SSESpecificationOverride", DecodeSse);
  return overrides;
}

Result<operations::CreateBackupRequest> DecodeCreateBackup(const json::Object& body) {
  const Fields fields(body);
  return operations::CreateBackupRequest{fields.Text("TableName"), fields.Text("BackupName")};
}

// The requests that hold nothing but a BackupArn.
Result<std::string> DecodeBackupArn(const json::Object& body) {
  return Fields(body).Text("BackupArn");
}

Result<operations::ListBackupsRequest> DecodeListBackups(const json::Object& body) {
  const Fields fields(body);
  operations::ListBackupsRequest request;
  request.table_name = fields.OptionalText("TableName");
  request.limit = fields.OptionalInteger("Limit");
  request.from_ms = fields.OptionalTimeMs("TimeRangeLowerBound");
  request.until_ms = fields.OptionalTimeMs("TimeRangeUpperBound");
  request.exclusive_start_backup_arn = fields.OptionalText("ExclusiveStartBackupArn");
  request.type = fields.OptionalEnum("BackupType", kBackupTypes);
  return request;
}

Result<operations::UpdateContinuousBackupsRequest> DecodeUpdateContinuousBackups(
    const json::Object& body) {
  const Fields fields(body);
  const Fields specification(*fields.Find("PointInTimeRecoverySpecification"));
  return operations::UpdateContinuousBackupsRequest{
      fields.Text("TableName"), specification.Flag("PointInTimeRecoveryEnabled"),
      specification.OptionalInteger("RecoveryPeriodInDays")};
}

Result<operations::RestoreTableFromBackupRequest> DecodeRestoreTableFromBackup(
    const json::Object& body) {
  const Fields fields(body);
  return operations::RestoreTableFromBackupRequest{
      fields.Text("BackupArn"), fields.Text("TargetTableName"), DecodeOverrides(fields)};
}

Result<operations::RestoreTableToPointInTimeRequest> DecodeRestoreTableToPointInTime(
    const json::Object& body) {
  const Fields fields(body);
  operations::RestoreTableToPointInTimeRequest request;
  request.source_table_name = fields.OptionalText("SourceTableName");
  request.source_table_arn = fields.OptionalText("SourceTableArn");
  request.target_table_name = fields.Text("TargetTableName");
  request.use_latest_restorable_time = fields.Flag("UseLatestRestorableTime");
  request.restore_time_ms = fields.OptionalTimeMs("RestoreDateTime");
  request.overrides = DecodeOverrides(fields);
  return request;
}

using operations::BackupDescription;
using table::IndexDefinition;
using table::TableDefinition;

std::string_view StatusOf(const BackupDescription& description) {
  if (description.deleted) return "DELETED";
  return description.backup.available ? "AVAILABLE" : "CREATING";
}

// The members of BackupDetails, which a summary has too.
void EncodeDetails(const BackupDescription& description, json::Writer* writer) {
  const engine::Backup& backup = description.backup;
  const bool user = backup.type == engine::BackupType::kUser;
  writer->Key("BackupArn").String(description.arn);
  writer->Key("BackupName").String(backup.name);
  writer->Key("BackupSizeBytes").Integer(backup.size_bytes);
  writer->Key("BackupStatus").String(StatusOf(description));
  writer->Key("BackupType").String(user ? "USER" : "SYSTEM");
  EncodeTime("BackupCreationDateTime", backup.created_at_ms, writer);
  if (backup.expires_at_ms) EncodeTime("BackupExpiryDateTime", *backup.expires_at_ms, writer);
}

void EncodeThroughput(const table::Throughput& throughput, json::Writer* writer) {
  writer->Key("ProvisionedThroughput").BeginObject();
  writer->Key("ReadCapacityUnits").Integer(throughput.read_units);
  writer->Key("WriteCapacityUnits").Integer(throughput.write_units).EndObject();
}

void EncodeSourceTable(const BackupDescription& description, json::Writer* writer) {
  const TableDefinition& table = description.backup.table;
  writer->Key("SourceTableDetails").BeginObject();
  writer->Key("TableName").String(table.name);
  writer->Key("TableId").String(table.uuid);
  writer->Key("TableArn").String(description.table_arn);
  writer->Key("TableSizeBytes").Integer(description.backup.size_bytes);
  wire::WriteKeySchema(table.key, writer);
  EncodeTime("TableCreationDateTime", table.created_at_ms, writer);
  EncodeThroughput(table.throughput, writer);
  writer->Key("ItemCount").Integer(description.backup.item_count);
  writer->Key("BillingMode").String(table::BillingModeName(table.billing_mode));
  writer->EndObject();
}

void EncodeIndexes(const TableDefinition& table, table::IndexKind kind, std::string_view name,
                   json::Writer* writer) {
  bool open = false;
  for (const IndexDefinition& index : table.indexes) {
    if (index.kind != kind) continue;
    if (!open) writer->Key(name).BeginArray();
    open = true;
    writer->BeginObject().Key("IndexName").String(index.name);
    wire::WriteKeySchema(index.key, writer);
    EncodeProjection(index.projection, writer);
    if (kind == table::IndexKind::kGlobal) EncodeThroughput(index.throughput, writer);
    writer->EndObject();
  }
  if (open) writer->EndArray();
}

void EncodeFeatures(const TableDefinition& table, json::Writer* writer) {
  writer->Key("SourceTableFeatureDetails").BeginObject();
  EncodeIndexes(table, table::IndexKind::kLocal, "LocalSecondaryIndexes", writer);
  EncodeIndexes(table, table::IndexKind::kGlobal, "GlobalSecondaryIndexes", writer);
  if (table.stream.enabled) {
    writer->Key("StreamDescription").BeginObject().Key("StreamEnabled").Bool(true);
    writer->Key("StreamViewType").String(table::StreamViewName(table.stream.view_type));
    writer->EndObject();
  }
  if (table.time_to_live.enabled) {
    writer->Key("TimeToLiveDescription").BeginObject();
    writer->Key("TimeToLiveStatus").String("ENABLED");
    writer->Key("AttributeName").String(table.time_to_live.attribute).EndObject();
  }
  if (table.sse.enabled) {
    writer->Key("SSEDescription").BeginObject();
    writer->Key("Status").String("ENABLED");
    writer->Key("SSEType").String("KMS");
    writer->Key("KMSMasterKeyArn").String(table.sse.kms_key_arn).EndObject();
  }
  writer->EndObject();
}

// {"BackupDetails":…}, the answer of CreateBackup.
void EncodeCreatedBackup(const BackupDescription& backup, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject().Key("BackupDetails").BeginObject();
  EncodeDetails(backup, &writer);
  writer.EndObject().EndObject();
}

// {"BackupDescription":…}, the answer of DescribeBackup and DeleteBackup.
void EncodeBackup(const BackupDescription& backup, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject().Key("BackupDescription").BeginObject();
  writer.Key("BackupDetails").BeginObject();
  EncodeDetails(backup, &writer);
  writer.EndObject();
  EncodeSourceTable(backup, &writer);
  EncodeFeatures(backup.backup.table, &writer);
  writer.EndObject().EndObject();
}

void EncodeListBackups(const operations::ListBackupsResponse& response, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject().Key("BackupSummaries").BeginArray();
  for (const BackupDescription& backup : response.backups) {
    writer.BeginObject();
    writer.Key("TableName").String(backup.backup.table.name);
    writer.Key("TableId").String(backup.backup.table.uuid);
    writer.Key("TableArn").String(backup.table_arn);
    EncodeDetails(backup, &writer);
    writer.EndObject();
  }
  writer.EndArray();
  if (response.last_evaluated_backup_arn) {
    writer.Key("LastEvaluatedBackupArn").String(*response.last_evaluated_backup_arn);
  }
  writer.EndObject();
}

// Continuous backups are what point-in-time recovery stands on; the service has them on for every
// table.
void EncodeContinuousBackups(const operations::ContinuousBackupsDescription& description,
                             std::string* out) {
  json::Writer writer(out);
  writer.BeginObject().Key("ContinuousBackupsDescription").BeginObject();
  writer.Key("ContinuousBackupsStatus").String("ENABLED");
  writer.Key("PointInTimeRecoveryDescription").BeginObject();
  writer.Key("PointInTimeRecoveryStatus").String(description.enabled ? "ENABLED" : "DISABLED");
  if (description.enabled) {
    writer.Key("RecoveryPeriodInDays").Integer(description.recovery_period_days);
    EncodeTime("EarliestRestorableDateTime", description.earliest_ms, &writer);
    EncodeTime("LatestRestorableDateTime", description.latest_ms, &writer);
  }
  writer.EndObject().EndObject().EndObject();
}

}  // namespace

std::span<const Operation> BackupOperations() {
  static constexpr Operation kOperations[] = {
      {"CreateBackup", shapes::kCreateBackup, Place::kWorker,
       Returning<DecodeCreateBackup, operations::CreateBackup, EncodeCreatedBackup>},
      {"DescribeBackup", shapes::kDescribeBackup, Place::kWorker,
       Returning<DecodeBackupArn, operations::DescribeBackup, EncodeBackup>},
      {"ListBackups", shapes::kListBackups, Place::kWorker,
       Returning<DecodeListBackups, operations::ListBackups, EncodeListBackups>},
      {"DeleteBackup", shapes::kDeleteBackup, Place::kWorker,
       Returning<DecodeBackupArn, operations::DeleteBackup, EncodeBackup>},
      {"RestoreTableFromBackup", shapes::kRestoreTableFromBackup, Place::kWorker,
       Returning<DecodeRestoreTableFromBackup, operations::RestoreTableFromBackup,
                 EncodeChangedTable>},
      {"RestoreTableToPointInTime", shapes::kRestoreTableToPointInTime, Place::kWorker,
       Returning<DecodeRestoreTableToPointInTime, operations::RestoreTableToPointInTime,
                 EncodeChangedTable>},
      {"UpdateContinuousBackups", shapes::kUpdateContinuousBackups, Place::kWorker,
       Returning<DecodeUpdateContinuousBackups, operations::UpdateContinuousBackups,
                 EncodeContinuousBackups>},
      {"DescribeContinuousBackups", shapes::kDescribeContinuousBackups, Place::kWorker,
       Returning<DecodeTableName, operations::DescribeContinuousBackups, EncodeContinuousBackups>},
  };
  return kOperations;
}

}  // namespace monotable::api::dynamodb

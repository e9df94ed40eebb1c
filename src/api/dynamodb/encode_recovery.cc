#include <string>
#include <string_view>

#include "api/dynamodb/encode.h"
#include "api/dynamodb/encode_table_description.h"
#include "table/definition.h"

namespace monotable::api::dynamodb {
namespace {

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
  EncodeKeySchema(table.key, writer);
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
    EncodeKeySchema(index.key, writer);
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

}  // namespace

void EncodeCreatedBackup(const BackupDescription& backup, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject().Key("BackupDetails").BeginObject();
  EncodeDetails(backup, &writer);
  writer.EndObject().EndObject();
}

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

}  // namespace monotable::api::dynamodb

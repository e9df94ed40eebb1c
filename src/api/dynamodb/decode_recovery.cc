#include "api/dynamodb/decode.h"
#include "api/dynamodb/fields.h"

namespace monotable::api::dynamodb {
namespace {

constexpr EnumName<operations::BackupTypeFilter> kBackupTypes[] = {
    {"USER", operations::BackupTypeFilter::kUser},
    {"SYSTEM", operations::BackupTypeFilter::kSystem},
    {"AWS_BACKUP", operations::BackupTypeFilter::kAwsBackup},
    {"ALL", operations::BackupTypeFilter::kAll},
};

}  // namespace

Result<operations::CreateBackupRequest> DecodeCreateBackup(const json::Object& body) {
  const Fields fields(body);
  return operations::CreateBackupRequest{fields.Text("TableName"), fields.Text("BackupName")};
}

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

}  // namespace monotable::api::dynamodb

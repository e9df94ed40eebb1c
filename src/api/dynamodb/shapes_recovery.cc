#include "api/dynamodb/shapes.h"

namespace monotable::api::dynamodb::shapes {
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

}  // namespace

constexpr Shape kCreateBackup = Structure("CreateBackupInput", kCreateBackupMembers);
constexpr Shape kDescribeBackup = Structure("DescribeBackupInput", kBackupArnMembers);
constexpr Shape kDeleteBackup = Structure("DeleteBackupInput", kBackupArnMembers);
constexpr Shape kListBackups = Structure("ListBackupsInput", kListBackupsMembers);
constexpr Shape kUpdateContinuousBackups =
    Structure("UpdateContinuousBackupsInput", kUpdateContinuousBackupsMembers);
constexpr Shape kDescribeContinuousBackups =
    Structure("DescribeContinuousBackupsInput", kTableNameMembers);

}  // namespace monotable::api::dynamodb::shapes

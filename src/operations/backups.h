#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/recovery/table_backups.h"
#include "operations/tables.h"

// Backups and point-in-time recovery. These operations wait for their own commits, so they run on a
// worker. A job copies the items after the operation has answered.
namespace monotable::operations {

struct CreateBackupRequest {
  std::string table_name;
  std::string backup_name;
};

// What CreateBackup, DescribeBackup, DeleteBackup and ListBackups answer. Each operation prints the
// part that the service prints.
struct BackupDescription {
  engine::Backup backup;
  std::string arn;
  std::string table_arn;
  bool deleted = false;
};

enum class BackupTypeFilter { kUser, kSystem, kAwsBackup, kAll };

struct ListBackupsRequest {
  std::optional<std::string> table_name;
  std::optional<int64_t> limit;
  std::optional<int64_t> from_ms;   // TimeRangeLowerBound, included
  std::optional<int64_t> until_ms;  // TimeRangeUpperBound, excluded
  std::optional<std::string> exclusive_start_backup_arn;
  std::optional<BackupTypeFilter> type;
};

struct ListBackupsResponse {
  std::vector<BackupDescription> backups;
  std::optional<std::string> last_evaluated_backup_arn;
};

struct UpdateContinuousBackupsRequest {
  std::string table_name;
  bool enabled = false;
  std::optional<int64_t> recovery_period_days;
};

struct ContinuousBackupsDescription {
  bool enabled = false;  // point-in-time recovery; the rest only if it is
  int64_t recovery_period_days = 0;
  int64_t earliest_ms = 0;
  int64_t latest_ms = 0;
};

Result<BackupDescription> CreateBackup(engine::Engine& engine, const CreateBackupRequest& request);
Result<BackupDescription> DescribeBackup(engine::Engine& engine, const std::string& backup_arn);
Result<BackupDescription> DeleteBackup(engine::Engine& engine, const std::string& backup_arn);
Result<ListBackupsResponse> ListBackups(engine::Engine& engine, const ListBackupsRequest& request);
Result<ContinuousBackupsDescription> UpdateContinuousBackups(
    engine::Engine& engine, const UpdateContinuousBackupsRequest& request);
Result<ContinuousBackupsDescription> DescribeContinuousBackups(engine::Engine& engine,
                                                               const std::string& table_name);

BackupDescription Describe(const engine::Engine& engine, engine::Backup backup);

// The backup that an ARN names; kBackupNotFound if it does not exist.
Result<engine::Backup> FindBackup(engine::Engine& engine, const std::string& arn);

}  // namespace monotable::operations

#include <algorithm>
#include <utility>

#include "operations/recovery/backup_description.h"

namespace monotable::operations {
namespace {

constexpr int64_t kBackupsPageSize = 100;

bool HasType(engine::BackupType type, BackupTypeFilter filter) {
  switch (filter) {
    case BackupTypeFilter::kUser:
      return type == engine::BackupType::kUser;
    case BackupTypeFilter::kSystem:
      return type == engine::BackupType::kSystem;
    case BackupTypeFilter::kAwsBackup:
      return false;
    case BackupTypeFilter::kAll:
      return true;
  }
  return false;
}

bool Matches(const ListBackupsRequest& request, const engine::Backup& backup) {
  if (request.table_name && engine::Engine::TableNameOf(*request.table_name) != backup.table.name) {
    return false;
  }
  if (request.from_ms && backup.created_at_ms < *request.from_ms) return false;
  if (request.until_ms && backup.created_at_ms >= *request.until_ms) return false;
  // Ids are in the order of the list, so the backup to start after need not exist any more.
  if (request.exclusive_start_backup_arn &&
      backup.id <= engine::BackupIdOf(*request.exclusive_start_backup_arn)) {
    return false;
  }
  return HasType(backup.type, request.type.value_or(BackupTypeFilter::kUser));
}

}  // namespace

Result<ListBackupsResponse> ListBackups(engine::Engine& engine, const ListBackupsRequest& request) {
  TRY_ASSIGN(std::vector<engine::Backup> backups, engine::ListBackups(engine));
  const auto limit = static_cast<size_t>(
      std::clamp<int64_t>(request.limit.value_or(kBackupsPageSize), 1, kBackupsPageSize));
  ListBackupsResponse response;
  for (engine::Backup& backup : backups) {
    if (!Matches(request, backup)) continue;
    if (response.backups.size() == limit) {
      response.last_evaluated_backup_arn = response.backups.back().arn;
      break;
    }
    response.backups.push_back(Describe(engine, std::move(backup)));
  }
  return response;
}

}  // namespace monotable::operations

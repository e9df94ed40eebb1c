#include <utility>

#include "operations/recovery/backup_description.h"
#include "operations/recovery/recovery_errors.h"

namespace monotable::operations {

BackupDescription Describe(const engine::Engine& engine, engine::Backup backup) {
  BackupDescription description;
  description.arn = engine::BackupArn(engine, backup);
  description.table_arn = engine.TableArn(backup.table.name);
  description.backup = std::move(backup);
  return description;
}

Result<engine::Backup> FindBackup(engine::Engine& engine, const std::string& arn) {
  TRY_ASSIGN(std::optional<engine::Backup> backup, engine::FindBackup(engine, arn));
  if (!backup) return BackupNotFound(arn);
  return std::move(*backup);
}

Result<BackupDescription> DescribeBackup(engine::Engine& engine, const std::string& backup_arn) {
  TRY_ASSIGN(engine::Backup backup, FindBackup(engine, backup_arn));
  return Describe(engine, std::move(backup));
}

}  // namespace monotable::operations

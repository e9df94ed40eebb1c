#include <utility>

#include "operations/recovery/backup_description.h"
#include "operations/recovery/recovery_errors.h"

namespace monotable::operations {

Result<BackupDescription> DeleteBackup(engine::Engine& engine, const std::string& backup_arn) {
  TRY_ASSIGN(engine::Backup backup, FindBackup(engine, backup_arn));
  if (!backup.available) return BackupInUse();
  TRY_ASSIGN(const bool restored, engine::IsBeingRestored(engine, backup));
  if (restored) return BackupInUse();
  TRY(engine::RemoveBackup(engine, backup));
  BackupDescription description = Describe(engine, std::move(backup));
  description.deleted = true;
  return description;
}

}  // namespace monotable::operations

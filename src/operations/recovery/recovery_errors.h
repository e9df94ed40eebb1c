#pragma once

#include <string>
#include <string_view>

#include "error/error.h"

// Errors that several operations of recovery word alike. They have codes of their own, where other
// table operations say ResourceNotFound and ResourceInUse.
namespace monotable::operations {

inline Error SourceTableNotFound(std::string_view name) {
  return Error(ErrorCode::kTableNotFound, "Table not found: " + std::string(name));
}

inline Error BackupNotFound(std::string_view arn) {
  return Error(ErrorCode::kBackupNotFound, "Backup not found: " + std::string(arn));
}

inline Error BackupInUse() {
  return Error(ErrorCode::kBackupInUse,
               "There is another ongoing conflicting backup control plane operation on the table. "
               "The backup is either being created, deleted or restored to a table.");
}

inline Error BackupsBeingEnabled(std::string_view table_name) {
  return Error(ErrorCode::kContinuousBackupsUnavailable,
               "Backups are being enabled for the table: " + std::string(table_name) +
                   ". Please retry later");
}

}  // namespace monotable::operations

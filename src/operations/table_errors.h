#pragma once

#include <string>
#include <string_view>

#include "error/error.h"

// Errors that several table operations word alike.
namespace monotable::operations {

inline Error InvalidParameter(std::string_view what) {
  return Error::Validation("One or more parameter values were invalid: " + std::string(what));
}

// Operations on tables name the table; operations on items do not (Engine::FindTable).
inline Error TableNotFound(std::string_view name) {
  return Error(ErrorCode::kResourceNotFound,
               "Requested resource not found: Table: " + std::string(name) + " not found");
}

inline Error TooManyTags() {
  return Error::Validation("Number of Tags exceed the current limit for the provided ResourceArn");
}

inline Error TableBeingCreated(std::string_view name) {
  return Error(ErrorCode::kResourceInUse,
               "Attempt to change a resource which is still in use: Table is being created: " +
                   std::string(name));
}

inline Error TableBeingUpdated(std::string_view name) {
  return Error(ErrorCode::kResourceInUse,
               "Attempt to change a resource which is still in use: Table is being updated: " +
                   std::string(name));
}

// The errors of backups and restores have codes of their own, where other table operations say
// ResourceNotFound and ResourceInUse.

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

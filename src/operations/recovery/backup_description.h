#pragma once

#include "operations/recovery/recovery.h"

namespace monotable::operations {

BackupDescription Describe(const engine::Engine& engine, engine::Backup backup);

// The backup of an ARN, or the error that there is none.
Result<engine::Backup> FindBackup(engine::Engine& engine, const std::string& arn);

}  // namespace monotable::operations

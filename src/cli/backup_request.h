#pragma once

#include <string>

#include "backup/server_backups.h"
#include "error/result.h"

namespace monotable::cli {

// Asks a running server for a backup and waits until it is there.
Result<backup::ServerBackup> RequestBackup(const std::string& endpoint, bool with_digests);

}  // namespace monotable::cli

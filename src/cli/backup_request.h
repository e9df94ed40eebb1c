#pragma once

#include <string>

#include "error/result.h"
#include "server/backup_note.h"

namespace monotable::cli {

// Asks a running server for a backup and waits until it is there.
Result<server::ServerBackup> RequestBackup(const std::string& endpoint, bool with_digests);

}  // namespace monotable::cli

#pragma once

#include "cli/options.h"

// The commands `monotable backup VERB`. Each returns the exit code; see RunBackup.
namespace monotable::cli {

// Of a running server.
int RunBackupCreate(const GivenOptions& given);
// Makes a backup, restores it beside and compares the copy with what the server had.
int RunBackupTest(const GivenOptions& given);

// Of a backup folder; no server is needed.
int RunBackupList(const GivenOptions& given);
int RunBackupVerify(const GivenOptions& given);
int RunBackupRestore(const GivenOptions& given);

}  // namespace monotable::cli

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backup/server_backups.h"
#include "cli/options.h"
#include "error/result.h"

// What the commands about backups are given, and the backups that they mean.
namespace monotable::cli {

Result<GivenOptions> ReadBackupOptions(std::string_view verb,
                                       std::span<const std::string_view> arguments);

// The folder that --backup-folder names, or that a server with the same --data, --config and
// environment has.
Result<std::string> BackupFolderOf(const GivenOptions& given);

// The backup that a word means: an id, or `latest`, which is the newest that is not damaged.
Result<backup::ServerBackup> FindBackup(const std::string& folder, std::string_view word);

// All backups of a folder, oldest first.
Result<std::vector<backup::ServerBackup>> BackupsIn(const std::string& folder);

// What there is to say about a backup in one line: `backup 3 of 2026-01-30T14:30:00Z: …`.
std::string SummaryOf(const backup::ServerBackup& backup);

}  // namespace monotable::cli

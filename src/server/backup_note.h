#pragma once

#include <string>
#include <vector>

#include "api/dynamodb/administration.h"
#include "error/result.h"
#include "json/parse.h"
#include "storage/rocksdb/store_backups.h"

// What a server writes down about a backup in its note: version, time, tables, in the names that
// its answers have.
namespace monotable::server {

using api::dynamodb::BackedUpTable;
using api::dynamodb::ServerBackup;

std::string EncodeNote(int64_t time_ms, const std::vector<BackedUpTable>& tables);

// Reads an answer about a backup, or a note. What it does not say is empty.
ServerBackup ReadBackup(const json::Object& object);

// A backup of a folder with what its note says. One that has no note of ours has the time of its
// files and no tables.
ServerBackup Describe(const storage::BackupInfo& info, const std::string& backup_folder);

}  // namespace monotable::server

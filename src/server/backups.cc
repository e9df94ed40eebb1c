#include "server/backups.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "encoding/keyspace.h"
#include "server/table_digest.h"
#include "storage/rocksdb/store_backups.h"
#include "storage/store.h"
#include "telemetry/log.h"

namespace monotable::server {
namespace {

namespace fs = std::filesystem;

// Files are shared with the data folder, so both must be on one disk: it is inside.
std::string CheckpointFolder(const std::string& data_folder) {
  return data_folder.empty() ? "" : (fs::path(data_folder) / "checkpoint").string();
}

// RocksDB makes a checkpoint under another name first, which a crash can leave behind.
void RemoveCheckpoint(const std::string& folder) {
  if (folder.empty()) return;
  for (const std::string& path : {folder, folder + ".tmp"}) {
    std::error_code error;
    fs::remove_all(path, error);
    if (!error) continue;
    telemetry::Log(telemetry::LogLevel::kWarning, "The folder {} cannot be removed: {}.", path,
                   error.message());
  }
}

struct CheckpointRemoval {
  explicit CheckpointRemoval(std::string path) : folder(std::move(path)) {}
  CheckpointRemoval(const CheckpointRemoval&) = delete;
  CheckpointRemoval& operator=(const CheckpointRemoval&) = delete;
  ~CheckpointRemoval() { RemoveCheckpoint(folder); }

  const std::string folder;
};

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Backups::Backups(engine::Engine& engine, BackupOptions options)
    : engine_(engine),
      options_(std::move(options)),
      checkpoint_folder_(CheckpointFolder(options_.data_folder)) {
  RemoveCheckpoint(checkpoint_folder_);
}

Status Backups::CheckPossible() const {
  if (options_.data_folder.empty()) {
    return Error::Validation(
        "This server keeps its data in memory, so it has no files to back up. Start it with --data "
        "FOLDER.");
  }
  if (stop_.stop_requested()) return Error(ErrorCode::kUnavailable, "The server is stopping.");
  return {};
}

Result<ServerBackup> Backups::Create(bool with_digests) {
  const std::lock_guard one(making_);
  TRY(CheckPossible());
  return Make(with_digests);
}

Result<ServerBackup> Backups::TryCreate(bool with_digests) {
  const std::unique_lock one(making_, std::try_to_lock);
  if (!one) {
    return Error(ErrorCode::kResourceInUse,
                 "A backup is being made already. Try again when it is done.");
  }
  TRY(CheckPossible());
  return Make(with_digests);
}

Result<ServerBackup> Backups::Make(bool with_digests) {
  const auto start = std::chrono::steady_clock::now();
  const int64_t time_ms = engine_.clock().NowMs();
  RemoveCheckpoint(checkpoint_folder_);
  const CheckpointRemoval removal(checkpoint_folder_);
  std::vector<BackedUpTable> tables;
  {
    TRY_ASSIGN(const auto moment, engine_.store().Checkpoint(checkpoint_folder_));
    TRY_ASSIGN(tables, Describe(*moment, with_digests));
  }
  TRY_ASSIGN(const storage::BackupInfo info,
             storage::AddBackup(checkpoint_folder_, options_.backup_folder,
                                EncodeNote(time_ms, tables), stop_.get_token()));
  telemetry::Log(telemetry::LogLevel::kInfo, "Backup {}: {:.2f} seconds, {} bytes in {} files, {}",
                 info.id, SecondsSince(start), info.bytes, info.files, options_.backup_folder);
  if (const Status removed = storage::RemoveOldBackups(options_.backup_folder, options_.keep);
      !removed) {
    telemetry::Log(telemetry::LogLevel::kWarning, "Old backups stay: {}",
                   removed.error().message());
  }
  return server::Describe(info, options_.backup_folder);
}

Result<std::vector<BackedUpTable>> Backups::Describe(const storage::Reader& reader,
                                                     bool with_digests) const {
  TRY_ASSIGN(const std::vector<table::TableDefinition> definitions, TablesOf(reader));
  std::vector<BackedUpTable> tables;
  for (const table::TableDefinition& definition : definitions) {
    BackedUpTable table{definition.name};
    TRY_ASSIGN(
        table.items,
        storage::ReadCounter(reader, encoding::ItemCountKey(definition.id, encoding::kTableItems)));
    if (with_digests) {
      TRY_ASSIGN(table.digest, DigestOf(reader, definition, stop_.get_token()));
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

Result<std::vector<ServerBackup>> Backups::List() const {
  std::vector<ServerBackup> backups;
  if (options_.data_folder.empty()) return backups;
  std::error_code error;
  if (!fs::exists(options_.backup_folder, error) || fs::is_empty(options_.backup_folder, error)) {
    return backups;
  }
  TRY_ASSIGN(const auto infos, storage::ListBackups(options_.backup_folder));
  for (const storage::BackupInfo& info : infos) {
    backups.push_back(server::Describe(info, options_.backup_folder));
  }
  return backups;
}

}  // namespace monotable::server

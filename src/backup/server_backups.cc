#include "backup/server_backups.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "backup/table_audit.h"
#include "encoding/keyspace.h"
#include "json/json_writer.h"
#include "storage/store.h"
#include "telemetry/log.h"

namespace monotable::backup {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kLookInterval(1);
constexpr std::chrono::minutes kPatienceAfterFailure(5);

int64_t IntegerIn(const json::Object& object, std::string_view name) {
  const auto member = json::Find(object, name);
  return member ? json::IntegerOf(*member) : 0;
}

std::string TextIn(const json::Object& object, std::string_view name) {
  const auto member = json::Find(object, name);
  return member ? std::string(json::StringOf(*member)) : std::string();
}

// The member holds seconds with a fraction.
int64_t TimeMsIn(const json::Object& object, std::string_view name) {
  double seconds = 0;
  const auto member = json::Find(object, name);
  if (!member || !member->Get(&seconds)) return 0;
  return std::llround(seconds * 1000);
}

// A checkpoint shares its files with the data folder, so both must be on one disk. Hence the
// checkpoint is inside the data folder.
std::string CheckpointFolder(const std::string& data_folder) {
  return data_folder.empty() ? "" : (fs::path(data_folder) / "checkpoint").string();
}

// RocksDB makes a checkpoint under a temporary name first. A crash can leave that folder behind.
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

std::string EncodeNote(int64_t time_ms, const std::vector<BackedUpTable>& tables) {
  std::string note;
  json::Writer writer(&note);
  writer.BeginObject().Key("Version").String(MONOTABLE_VERSION);
  writer.Key("Time").Raw(fmt::format("{}.{:03}", time_ms / 1000, time_ms % 1000));
  writer.Key("Tables").BeginArray();
  for (const BackedUpTable& table : tables) {
    writer.BeginObject().Key("TableName").String(table.name);
    writer.Key("ItemCount").Integer(table.items);
    if (!table.digest.empty()) writer.Key("Digest").String(table.digest);
    writer.EndObject();
  }
  writer.EndArray().EndObject();
  return note;
}

ServerBackup ReadBackup(const json::Object& object) {
  ServerBackup backup;
  backup.id = static_cast<uint32_t>(IntegerIn(object, "Id"));
  backup.time_ms = TimeMsIn(object, "Time");
  backup.bytes = static_cast<uint64_t>(IntegerIn(object, "Bytes"));
  backup.files = static_cast<uint32_t>(IntegerIn(object, "Files"));
  backup.folder = TextIn(object, "Folder");
  const auto damaged = json::Find(object, "Damaged");
  backup.damaged = damaged && json::BoolOf(*damaged);
  const auto tables = json::Find(object, "Tables");
  if (!tables || !tables->is_array()) return backup;
  for (const json::Element& element : json::ArrayOf(*tables)) {
    if (!element.is_object()) continue;
    const json::Object table = json::ObjectOf(element);
    backup.tables.push_back(
        {TextIn(table, "TableName"), IntegerIn(table, "ItemCount"), TextIn(table, "Digest")});
  }
  return backup;
}

ServerBackup Describe(const storage::BackupInfo& info, const std::string& backup_folder) {
  ServerBackup backup;
  std::string note = info.note;
  note.reserve(note.size() + json::kPadding);
  json::Parser parser;
  const auto root = parser.Parse(note);
  if (root && root->is_object()) backup = ReadBackup(json::ObjectOf(*root));
  if (backup.time_ms == 0) backup.time_ms = info.time * 1000;
  backup.id = info.id;
  backup.bytes = info.bytes;
  backup.files = info.files;
  backup.folder = backup_folder;
  backup.damaged = info.damaged;
  return backup;
}

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
    TRY_ASSIGN(tables, DescribeTables(*moment, with_digests));
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
  return Describe(info, options_.backup_folder);
}

Result<std::vector<BackedUpTable>> Backups::DescribeTables(const storage::Reader& reader,
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
    backups.push_back(Describe(info, options_.backup_folder));
  }
  return backups;
}

BackupSchedule::BackupSchedule(Backups& backups, const engine::Clock& clock,
                               std::chrono::milliseconds every)
    : backups_(backups),
      clock_(clock),
      every_ms_(every.count()),
      repeater_(kLookInterval, [this](const std::stop_token&) {
        Look();
        return true;
      }) {}

// If the list of backups cannot be read, a backup is due at once.
int64_t BackupSchedule::FirstDue() const {
  const int64_t now_ms = clock_.NowMs();
  int64_t due_ms = now_ms;
  if (const auto backups = backups_.List()) {
    for (const ServerBackup& backup : *backups) {
      // A backup from the future was made before the clock was set back.
      if (!backup.damaged) due_ms = std::min(backup.time_ms, now_ms) + every_ms_;
    }
  }
  return due_ms;
}

void BackupSchedule::Look() {
  if (!due_ms_) due_ms_ = FirstDue();
  const int64_t now_ms = clock_.NowMs();
  if (now_ms < *due_ms_) return;
  const auto made = backups_.Create(/*with_digests=*/false);
  if (made) {
    due_ms_ = now_ms + every_ms_;
    return;
  }
  const std::chrono::milliseconds patience(
      std::min<int64_t>(every_ms_, std::chrono::milliseconds(kPatienceAfterFailure).count()));
  due_ms_ = now_ms + patience.count();
  telemetry::Log(telemetry::LogLevel::kWarning,
                 "The scheduled backup failed and is tried again in {} seconds: {}",
                 patience.count() / 1000, made.error().message());
}

}  // namespace monotable::backup

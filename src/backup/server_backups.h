#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "api/dynamodb/administration.h"
#include "engine/clock.h"
#include "engine/engine.h"
#include "error/result.h"
#include "json/parse.h"
#include "storage/rocksdb/store_backups.h"

// Backups of a whole server: what is noted about each one, how one is made, and when.
namespace monotable::backup {

using api::dynamodb::BackedUpTable;
using api::dynamodb::ServerBackup;

// The note that a server keeps with a backup: version, time and tables, in the names that the
// server's answers use.
std::string EncodeNote(int64_t time_ms, const std::vector<BackedUpTable>& tables);

// Reads a server's answer about a backup, or a note. Members that are missing stay empty.
ServerBackup ReadBackup(const json::Object& object);

// A backup of a folder, with the contents of its note. A backup without such a note has the time of
// its files and no tables.
ServerBackup Describe(const storage::BackupInfo& info, const std::string& backup_folder);

struct BackupOptions {
  std::string data_folder;    // of the engine's store; empty: the store is in memory
  std::string backup_folder;  // made with the first backup
  uint32_t keep = 7;          // older backups are deleted after a new one is made
};

// Backs up the whole server to a folder while it serves. A checkpoint of the store is made inside
// the data folder, which takes milliseconds; then the files that no earlier backup has are copied
// at leisure. Thread-safe; one backup is made at a time. The engine must outlive it.
class Backups {
 public:
  // Removes what an earlier process left unfinished.
  Backups(engine::Engine& engine, BackupOptions options);

  // Waits while another backup is being made.
  Result<ServerBackup> Create(bool with_digests);
  // Refuses while another backup is being made.
  Result<ServerBackup> TryCreate(bool with_digests);
  // Oldest first; empty if there is no backup folder yet.
  Result<std::vector<ServerBackup>> List() const;

  // Ends a backup that is being made as soon as possible, and refuses new ones.
  void Stop() { stop_.request_stop(); }

 private:
  Status CheckPossible() const;
  Result<ServerBackup> Make(bool with_digests);
  Result<std::vector<BackedUpTable>> DescribeTables(const storage::Reader& reader,
                                                    bool with_digests) const;

  engine::Engine& engine_;
  const BackupOptions options_;
  const std::string checkpoint_folder_;
  std::stop_source stop_;
  std::mutex making_;
};

// Makes a backup whenever one is due by the engine's clock. The first backup is due when the newest
// existing one is old enough, and at once if there is none. A backup that fails is logged as a
// warning and tried again later. Thread-safe. The backups and the clock must outlive it.
class BackupSchedule {
 public:
  BackupSchedule(Backups& backups, const engine::Clock& clock, std::chrono::milliseconds every);

  void Start() { repeater_.Start(); }
  // What looks at the clock. It is idle when the backup that was due is made or has failed.
  engine::Repeater& repeater() { return repeater_; }

 private:
  void Look();
  int64_t FirstDue() const;

  Backups& backups_;
  const engine::Clock& clock_;
  const int64_t every_ms_;
  std::optional<int64_t> due_ms_;  // only the repeater's thread uses it
  engine::Repeater repeater_;      // last, so that its thread ends first
};

}  // namespace monotable::backup

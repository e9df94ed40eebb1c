#pragma once

#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "error/result.h"
#include "server/backup_note.h"

namespace monotable::server {

struct BackupOptions {
  std::string data_folder;    // of the engine's store; empty: it is in memory
  std::string backup_folder;  // made with the first backup
  uint32_t keep = 7;          // older ones go when a new one is there
};

// Backups of the whole server to a folder, while it serves: a checkpoint of the store, which is
// made in milliseconds inside the data folder, and then copied at leisure as far as an earlier
// backup does not have it. Thread-safe; one backup is made at a time. The engine must outlive it.
class Backups {
 public:
  // Clears away what an earlier process left unfinished.
  Backups(engine::Engine& engine, BackupOptions options);

  // Waits for a backup that is being made.
  Result<ServerBackup> Create(bool with_digests);
  // Is refused while another backup is being made.
  Result<ServerBackup> TryCreate(bool with_digests);
  // Oldest first; empty if there is no backup folder yet.
  Result<std::vector<ServerBackup>> List() const;

  // Ends a backup that is being made as soon as it can, and refuses others.
  void Stop() { stop_.request_stop(); }

 private:
  Status CheckPossible() const;
  Result<ServerBackup> Make(bool with_digests);
  Result<std::vector<BackedUpTable>> Describe(const storage::Reader& reader,
                                              bool with_digests) const;

  engine::Engine& engine_;
  const BackupOptions options_;
  const std::string checkpoint_folder_;
  std::stop_source stop_;
  std::mutex making_;
};

}  // namespace monotable::server

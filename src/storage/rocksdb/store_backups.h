#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "error/result.h"

// Backups of whole stores, in a folder that holds one or more of them. They are incremental: a file
// that several backups have in common is there once. Every file has a checksum.
//
// Reading (list, verify, restore) may go on while another process adds a backup. Only one process
// at a time may add or remove; a second one gets an error instead of waiting. The functions are
// thread-safe.
//
// An error is one line for the operator: it names the folder and says what to do.
namespace monotable::storage {

struct BackupInfo {
  uint32_t id = 0;     // rises with time; never used twice while newer ones exist
  int64_t time = 0;    // seconds since the epoch
  uint64_t bytes = 0;  // of all its files, those it shares with other backups included
  uint32_t files = 0;
  std::string note;
  // A file of the backup is missing, so it cannot be restored and only its id is known. The other
  // files may still contain wrong bytes: see VerifyBackup.
  bool damaged = false;
};

// Adds a backup of a folder that Store::Checkpoint made and that no store has open. The note is any
// text of the caller. Creates the backup folder if there is none. A backup that was interrupted
// leaves files behind, which the next one removes. A backup that is asked to stop ends with an
// error, even in the middle of a file.
Result<BackupInfo> AddBackup(const std::string& checkpoint_folder, const std::string& backup_folder,
                             const std::string& note, const std::stop_token& stop = {});

// From the oldest to the newest.
Result<std::vector<BackupInfo>> ListBackups(const std::string& backup_folder);

// Reads every byte of a backup and compares checksums.
Status VerifyBackup(const std::string& backup_folder, uint32_t id);

// Verifies a backup and copies it to a data folder, which must be empty or not there yet.
Status RestoreBackup(const std::string& backup_folder, uint32_t id, const std::string& data_folder);

// Removes all backups but the newest ones. Damaged ones do not count and stay.
Status RemoveOldBackups(const std::string& backup_folder, uint32_t keep);

Status RemoveBackup(const std::string& backup_folder, uint32_t id);

}  // namespace monotable::storage

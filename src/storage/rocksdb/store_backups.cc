#include "storage/rocksdb/store_backups.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/utilities/backup_engine.h>

#include "storage/rocksdb/database.h"
#include "storage/rocksdb/rocksdb_errors.h"
#include "storage/rocksdb/rocksdb_options.h"
#include "storage/rocksdb/rocksdb_store.h"

namespace monotable::storage {

namespace {

namespace fs = std::filesystem;

// RocksDB's layout: meta/<id> lists the files of a backup, shared_checksum/ has the table files of
// all backups, private/<id>/ the other files of one.
constexpr std::string_view kParts[] = {"shared_checksum/", "private/", "meta/"};

std::string Named(const std::string& folder) {
  return "The backup folder " + folder;
}

std::string Named(uint32_t id, const std::string& folder) {
  return "Backup " + std::to_string(id) + " in the folder " + folder;
}

// An error that is not about the content of a backup.
Error FailedError(const std::string& what, const rocksdb::Status& status) {
  if (status.IsNoSpace()) {
    return Error(ErrorCode::kUnavailable, what +
                                              " failed: the disk is full. Free some space on it "
                                              "and try again.");
  }
  return Error::Internal(what + " failed (" + ShortReason(status) +
                         "). Check the disk and the access to the folder.");
}

// RocksDB names the file in the middle of a sentence.
std::string DamagedFile(uint32_t id, const rocksdb::Status& status) {
  const std::string reason = status.ToString();
  for (const std::string_view part : kParts) {
    const size_t begin = reason.rfind(part);
    if (begin == std::string::npos) continue;
    return reason.substr(begin, reason.find_first_of(": \n", begin) - begin);
  }
  return "meta/" + std::to_string(id);
}

Error DamageError(const std::string& folder, uint32_t id, const rocksdb::Status& status) {
  return Error::Internal(Named(id, folder) + " is damaged: the file " + DamagedFile(id, status) +
                         " is missing or not as it was written. Use another backup, and let the "
                         "next one go to a new folder.");
}

// The lock of a backup folder, and the folder where restored files stay until all of them are
// there.
constexpr std::string_view kLock = "LOCK";
constexpr std::string_view kUnfinished = "monotable-restore";

// Whether a folder contains anything that is not ours. File systems may have a folder of their own
// there.
bool HasOtherFiles(const std::string& folder, std::string_view ours) {
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    const fs::path name = file->path().filename();
    if (name != ours && name != "lost+found") return true;
  }
  return bool{error};
}

bool HasBackups(const std::string& folder) {
  std::error_code error;
  return fs::is_directory(fs::path(folder) / "meta", error);
}

// RocksDB's backup engine is opened only for folders that have the right content, because it would
// create missing folders or report them in its own terms.
Status CheckHasBackups(const std::string& folder) {
  if (HasBackups(folder)) return {};
  std::error_code error;
  if (!fs::exists(folder, error)) {
    return Error::Validation(Named(folder) +
                             " does not exist. Check the name, or make a backup "
                             "first.");
  }
  return Error::Validation(Named(folder) +
                           " has no backups in it. Check the name, or make a "
                           "backup first.");
}

Status PrepareForBackups(const std::string& folder) {
  std::error_code error;
  if (fs::exists(folder, error)) {
    if (!fs::is_directory(folder, error)) {
      return Error::Validation(Named(folder) + " is a file. Choose a folder.");
    }
    if (!HasBackups(folder) && HasOtherFiles(folder, kLock)) {
      return Error::Validation(Named(folder) +
                               " has other files in it. Choose an empty or a new one.");
    }
    return {};
  }
  fs::create_directories(folder, error);
  if (!error) return {};
  return Error::Validation(Named(folder) + " cannot be made (" + error.message() +
                           "). Choose another one.");
}

// Keeps a second process from changing a backup folder at the same time, which would ruin the
// folder. The operating system releases the lock when the process ends, however it ends.
class FolderLock {
 public:
  static Result<std::unique_ptr<FolderLock>> Take(const std::string& folder) {
    rocksdb::Env* env = rocksdb::Env::Default();
    rocksdb::FileLock* lock = nullptr;
    const std::string path = (fs::path(folder) / kLock).string();
    const rocksdb::Status status = env->LockFile(path, &lock);
    if (status.ok()) return std::make_unique<FolderLock>(env, lock);
    if (IsInUse(status)) {
      return Error(ErrorCode::kUnavailable, Named(folder) +
                                                " is being written by somebody else. "
                                                "Try again when that is done.");
    }
    return FailedError("Locking the backup folder " + folder, status);
  }

  FolderLock(rocksdb::Env* env, rocksdb::FileLock* lock) : env_(*env), lock_(lock) {}
  ~FolderLock() { env_.UnlockFile(lock_).PermitUncheckedError(); }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  rocksdb::Env& env_;
  rocksdb::FileLock* const lock_;
};

// Opens a rocksdb::BackupEngine or a rocksdb::BackupEngineReadOnly. RocksDB's defaults are ours:
// table files are shared, by names that no two files ever have in common, and everything is synced.
template <typename Engine>
Result<std::unique_ptr<Engine>> Open(const std::string& folder) {
  Engine* engine = nullptr;
  const rocksdb::Status status =
      Engine::Open(rocksdb::BackupEngineOptions(folder), rocksdb::Env::Default(), &engine);
  if (!status.ok()) return FailedError("Opening the backup folder " + folder, status);
  return std::unique_ptr<Engine>(engine);
}

// A backup engine that may change its folder. The lock is released last.
struct LockedEngine {
  std::unique_ptr<FolderLock> lock;
  std::unique_ptr<rocksdb::BackupEngine> engine;
};

Result<LockedEngine> OpenLocked(const std::string& folder) {
  LockedEngine result;
  TRY_ASSIGN(result.lock, FolderLock::Take(folder));
  TRY_ASSIGN(result.engine, Open<rocksdb::BackupEngine>(folder));
  return result;
}

std::vector<BackupInfo> List(const rocksdb::BackupEngineReadOnlyBase& engine) {
  std::vector<BackupInfo> backups;
  std::vector<rocksdb::BackupInfo> good;
  engine.GetBackupInfo(&good);
  backups.reserve(good.size());
  for (const rocksdb::BackupInfo& info : good) {
    backups.push_back(
        {info.backup_id, info.timestamp, info.size, info.number_files, info.app_metadata, false});
  }
  std::vector<rocksdb::BackupID> damaged;
  engine.GetCorruptedBackups(&damaged);
  for (const rocksdb::BackupID id : damaged) {
    backups.push_back({});
    backups.back().id = id;
    backups.back().damaged = true;
  }
  std::sort(backups.begin(), backups.end(),
            [](const BackupInfo& a, const BackupInfo& b) { return a.id < b.id; });
  return backups;
}

Status CheckExists(const rocksdb::BackupEngineReadOnlyBase& engine, const std::string& folder,
                   uint32_t id) {
  std::string ids;
  for (const BackupInfo& backup : List(engine)) {
    if (backup.id == id) return {};
    ids += (ids.empty() ? "" : ", ") + std::to_string(backup.id);
  }
  return Error::Validation(Named(folder) + " has no backup " + std::to_string(id) + ". " +
                           (ids.empty() ? "It has none at all." : "It has: " + ids + "."));
}

Status Verify(const rocksdb::BackupEngineReadOnlyBase& engine, const std::string& folder,
              uint32_t id) {
  TRY(CheckExists(engine, folder, id));
  const rocksdb::Status status = engine.VerifyBackup(id, /*verify_with_checksum=*/true);
  if (!status.ok()) return DamageError(folder, id, status);
  return {};
}

Result<std::unique_ptr<Database>> OpenCheckpoint(const std::string& folder) {
  RocksDbOptions options;
  options.cache_bytes = size_t{1} << 20;
  rocksdb::Options settings = MakeRocksDbOptions(options);
  settings.create_if_missing = false;
  // Otherwise opening would create new table files, which this backup would not share with the next
  // one.
  settings.disable_auto_compactions = true;
  settings.avoid_flush_during_recovery = true;
  std::unique_ptr<Database> database;
  const rocksdb::Status status = Database::Open(settings, folder, &database);
  if (!status.ok()) return OpenError(folder, status);
  return database;
}

Status PrepareDataFolder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return Error::Validation("The data folder " + folder + " cannot be written (" +
                             error.message() + "). Choose another one.");
  }
  if (HasOtherFiles(folder, kUnfinished)) {
    return Error::Validation("The data folder " + folder +
                             " is not empty. Choose an empty or a new one, so that nothing is "
                             "overwritten.");
  }
  return {};
}

// The file CURRENT is moved last: without it nothing treats the folder as a database.
Status MoveUp(const std::string& data_folder) {
  const fs::path from = fs::path(data_folder) / kUnfinished;
  std::error_code error;
  std::vector<fs::path> names;
  for (fs::directory_iterator file(from, error), end; !error && file != end;
       file.increment(error)) {
    names.push_back(file->path().filename());
  }
  std::partition(names.begin(), names.end(),
                 [](const fs::path& name) { return name != "CURRENT"; });
  for (const fs::path& name : names) {
    if (!error) fs::rename(from / name, fs::path(data_folder) / name, error);
  }
  if (!error) fs::remove(from, error);
  rocksdb::Status status = error ? rocksdb::Status::IOError(error.message()) : rocksdb::Status();
  if (status.ok()) {
    std::unique_ptr<rocksdb::Directory> directory;
    status = rocksdb::Env::Default()->NewDirectory(data_folder, &directory);
    if (status.ok()) status = directory->Fsync();
  }
  if (!status.ok()) return FailedError("Restoring to the data folder " + data_folder, status);
  return {};
}

}  // namespace

Result<BackupInfo> AddBackup(const std::string& checkpoint_folder, const std::string& backup_folder,
                             const std::string& note, const std::stop_token& stop) {
  TRY_ASSIGN(const auto database, OpenCheckpoint(checkpoint_folder));
  TRY(PrepareForBackups(backup_folder));
  TRY_ASSIGN(const LockedEngine locked, OpenLocked(backup_folder));
  rocksdb::CreateBackupOptions options;
  // Requests that are served meanwhile have priority.
  options.decrease_background_thread_cpu_priority = true;
  options.background_thread_cpu_priority = rocksdb::CpuPriority::kLow;
  const std::stop_callback stopping(stop, [&] { locked.engine->StopBackup(); });
  rocksdb::BackupID id = 0;
  rocksdb::Status status =
      locked.engine->CreateNewBackupWithMetadata(options, &database->db(), note, &id);
  if (status.IsIncomplete() && stop.stop_requested()) {
    return Error(ErrorCode::kUnavailable, "The backup to the folder " + backup_folder +
                                              " was given up: the server is stopping.");
  }
  rocksdb::BackupInfo info;
  if (status.ok()) status = locked.engine->GetBackupInfo(id, &info);
  if (!status.ok()) return FailedError("The backup to the folder " + backup_folder, status);
  return BackupInfo{id, info.timestamp, info.size, info.number_files, note, false};
}

Result<std::vector<BackupInfo>> ListBackups(const std::string& backup_folder) {
  TRY(CheckHasBackups(backup_folder));
  TRY_ASSIGN(const auto engine, Open<rocksdb::BackupEngineReadOnly>(backup_folder));
  return List(*engine);
}

Status VerifyBackup(const std::string& backup_folder, uint32_t id) {
  TRY(CheckHasBackups(backup_folder));
  TRY_ASSIGN(const auto engine, Open<rocksdb::BackupEngineReadOnly>(backup_folder));
  return Verify(*engine, backup_folder, id);
}

Status RestoreBackup(const std::string& backup_folder, uint32_t id,
                     const std::string& data_folder) {
  TRY(CheckHasBackups(backup_folder));
  TRY_ASSIGN(const auto engine, Open<rocksdb::BackupEngineReadOnly>(backup_folder));
  TRY(CheckExists(*engine, backup_folder, id));
  TRY(PrepareDataFolder(data_folder));
  TRY(Verify(*engine, backup_folder, id));
  const std::string unfinished = (fs::path(data_folder) / kUnfinished).string();
  const rocksdb::Status status = engine->RestoreDBFromBackup(id, unfinished, unfinished);
  if (status.ok()) return MoveUp(data_folder);
  std::error_code ignored;
  fs::remove_all(unfinished, ignored);
  if (status.IsCorruption()) return DamageError(backup_folder, id, status);
  return FailedError("Restoring to the data folder " + data_folder, status);
}

Status RemoveOldBackups(const std::string& backup_folder, uint32_t keep) {
  TRY(CheckHasBackups(backup_folder));
  TRY_ASSIGN(const LockedEngine locked, OpenLocked(backup_folder));
  const rocksdb::Status status = locked.engine->PurgeOldBackups(keep);
  if (!status.ok()) return FailedError("Removing old backups from " + backup_folder, status);
  return {};
}

Status RemoveBackup(const std::string& backup_folder, uint32_t id) {
  TRY(CheckHasBackups(backup_folder));
  TRY_ASSIGN(const LockedEngine locked, OpenLocked(backup_folder));
  TRY(CheckExists(*locked.engine, backup_folder, id));
  const rocksdb::Status status = locked.engine->DeleteBackup(id);
  if (!status.ok()) return FailedError("Removing backup " + std::to_string(id), status);
  return {};
}

}  // namespace monotable::storage

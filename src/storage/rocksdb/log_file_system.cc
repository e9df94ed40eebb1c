#include "storage/rocksdb/log_file_system.h"

#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "storage/rocksdb/log_check.h"
#include "storage/rocksdb/log_records.h"
#include "storage/rocksdb/rocksdb_errors.h"

namespace monotable::storage {

namespace {

std::string WithoutSlash(std::string folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return folder;
}

// The number of a file of the folder with such a name: 12 for "folder/000012.log".
std::optional<uint64_t> NumberOf(const std::string& name, const std::string& folder,
                                 std::string_view extension) {
  const std::filesystem::path path(name);
  if (path.extension() != extension) return std::nullopt;
  if (WithoutSlash(path.parent_path().string()) != folder) return std::nullopt;
  const std::string stem = path.stem().string();
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), number);
  if (error != std::errc() || end != stem.data() + stem.size()) return std::nullopt;
  return number;
}

}  // namespace

// One write-ahead log. RocksDB writes it from one thread at a time; another may sync it.
class LogFileSystem::LogFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  LogFile(std::unique_ptr<rocksdb::FSWritableFile> file, uint64_t number, LogFileSystem* system)
      : FSWritableFileOwnerWrapper(std::move(file)), system_(*system) {
    mark_.number = number;
    mark_.relaxed = system_.durability_ == Durability::kRelaxed;
    system_.marks_->Note(mark_);
    const std::lock_guard lock(system_.mutex_);
    system_.open_logs_.insert(this);
  }
  ~LogFile() override {
    const std::lock_guard lock(system_.mutex_);
    system_.open_logs_.erase(this);
  }

  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
    const std::lock_guard lock(mutex_);
    if (failed_) return rocksdb::IOStatus::OK();
    rocksdb::IOStatus status = FSWritableFileOwnerWrapper::Append(data, options, debug);
    if (status.ok()) {
      size_ += data.size();
      digest_.Add({data.data(), data.size()});
    } else {
      CutOff(size_, options, debug);
    }
    return status;
  }

  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo& /*verification*/,
                           rocksdb::IODebugContext* debug) override {
    return Append(data, options, debug);
  }

  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options,
                         rocksdb::IODebugContext* debug) override {
    const std::lock_guard lock(mutex_);
    if (failed_) return rocksdb::IOStatus::OK();
    return Synced(FSWritableFileOwnerWrapper::Sync(options, debug), options, debug);
  }

  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options,
                          rocksdb::IODebugContext* debug) override {
    const std::lock_guard lock(mutex_);
    if (failed_) return rocksdb::IOStatus::OK();
    return Synced(FSWritableFileOwnerWrapper::Fsync(options, debug), options, debug);
  }

  rocksdb::IOStatus Close(const rocksdb::IOOptions& options,
                          rocksdb::IODebugContext* debug) override {
    SyncRest().PermitUncheckedError();
    return FSWritableFileOwnerWrapper::Close(options, debug);
  }

  // Syncs what was written without waiting for the disk.
  rocksdb::IOStatus SyncRest() {
    const std::lock_guard lock(mutex_);
    if (failed_ || size_ == mark_.size) return rocksdb::IOStatus::OK();
    const rocksdb::IOOptions options;
    return Synced(FSWritableFileOwnerWrapper::Sync(options, nullptr), options, nullptr);
  }

 private:
  rocksdb::IOStatus Synced(rocksdb::IOStatus status, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) {
    // A mark must not survive a power cut that its log does not survive.
    if (status.ok() && !in_folder_) status = system_.SyncFolder();
    in_folder_ = in_folder_ || status.ok();
    if (status.ok()) {
      mark_.size = size_;
      mark_.digest = digest_.value();
      system_.marks_->Note(mark_);
    } else {
      CutOff(mark_.size, options, debug);
    }
    return status;
  }

  // If even truncating fails, the torn end stays in the file, and the next start cuts it off.
  void CutOff(uint64_t size, const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) {
    failed_ = true;
    Truncate(size, options, debug).PermitUncheckedError();
  }

  LogFileSystem& system_;
  std::mutex mutex_;
  LogMark mark_;  // guarded by mutex_, as is the rest
  uint64_t size_ = 0;
  RunningDigest digest_;
  bool in_folder_ = false;  // a power cut leaves the entry of the file in the folder
  bool failed_ = false;
};

LogFileSystem::LogFileSystem(const std::shared_ptr<rocksdb::FileSystem>& base,
                             const std::string& folder, Durability durability)
    : FileSystemWrapper(base), folder_(WithoutSlash(folder)), durability_(durability) {}

LogFileSystem::~LogFileSystem() {
  if (lock_ == nullptr) return;
  target()->UnlockFile(lock_, rocksdb::IOOptions(), nullptr).PermitUncheckedError();
}

Status LogFileSystem::Prepare() {
  rocksdb::IOStatus status =
      target()->LockFile(folder_ + "/LOCK", rocksdb::IOOptions(), &lock_, nullptr);
  if (!status.ok()) return OpenError(folder_, status);
  TRY_ASSIGN(LogMarks marks, CheckLogs(*target(), folder_, durability_));
  status = MarkWriter::Open(target_, folder_, std::move(marks), &marks_);
  if (!status.ok()) return OpenError(folder_, status);
  return {};
}

rocksdb::IOStatus LogFileSystem::NewWritableFile(const std::string& name,
                                                 const rocksdb::FileOptions& options,
                                                 std::unique_ptr<rocksdb::FSWritableFile>* file,
                                                 rocksdb::IODebugContext* debug) {
  const std::optional<uint64_t> number = NumberOf(name, folder_, ".log");
  if (!number) return target()->NewWritableFile(name, options, file, debug);
  rocksdb::IOStatus status = SyncOpenLogs();
  if (status.ok()) status = target()->NewWritableFile(name, options, file, debug);
  if (status.ok()) *file = std::make_unique<LogFile>(std::move(*file), *number, this);
  return status;
}

rocksdb::IOStatus LogFileSystem::DeleteFile(const std::string& name,
                                            const rocksdb::IOOptions& options,
                                            rocksdb::IODebugContext* debug) {
  if (const std::optional<uint64_t> number = NumberOf(name, folder_, ".log")) {
    rocksdb::IOStatus status = marks_->Forget(*number);
    if (!status.ok()) return status;
  }
  return target()->DeleteFile(name, options, debug);
}

// RocksDB begins a MANIFEST by writing its number into a temporary file of the same number, which
// becomes the file CURRENT.
rocksdb::IOStatus LogFileSystem::RenameFile(const std::string& from, const std::string& to,
                                            const rocksdb::IOOptions& options,
                                            rocksdb::IODebugContext* debug) {
  if (const std::optional<uint64_t> number = NumberOf(from, folder_, ".dbtmp");
      number && to.ends_with("/CURRENT")) {
    rocksdb::IOStatus status = marks_->SetManifest(*number);
    if (!status.ok()) return status;
  }
  return target()->RenameFile(from, to, options, debug);
}

rocksdb::IOStatus LogFileSystem::LockFile(const std::string& name,
                                          const rocksdb::IOOptions& options,
                                          rocksdb::FileLock** lock,
                                          rocksdb::IODebugContext* debug) {
  if (lock_ == nullptr) return target()->LockFile(name, options, lock, debug);
  *lock = std::exchange(lock_, nullptr);
  return rocksdb::IOStatus::OK();
}

rocksdb::IOStatus LogFileSystem::SyncFolder() {
  const rocksdb::IOOptions options;
  std::unique_ptr<rocksdb::FSDirectory> directory;
  rocksdb::IOStatus status = target()->NewDirectory(folder_, options, &directory, nullptr);
  return status.ok() ? directory->Fsync(options, nullptr) : status;
}

rocksdb::IOStatus LogFileSystem::SyncOpenLogs() {
  const std::lock_guard lock(mutex_);
  for (LogFile* log : open_logs_) {
    rocksdb::IOStatus status = log->SyncRest();
    if (!status.ok()) return status;
  }
  return marks_->Sync();
}

}  // namespace monotable::storage

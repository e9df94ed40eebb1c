#include "storage/rocksdb/log_file_system.h"

#include <string>
#include <utility>

namespace monotable::storage {

namespace {

// One log. RocksDB calls it from one thread at a time.
class LogFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  explicit LogFile(std::unique_ptr<rocksdb::FSWritableFile> file)
      : FSWritableFileOwnerWrapper(std::move(file)) {}

  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
    if (failed_) return rocksdb::IOStatus::OK();
    rocksdb::IOStatus status = FSWritableFileOwnerWrapper::Append(data, options, debug);
    if (status.ok()) {
      size_ += data.size();
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
    if (failed_) return rocksdb::IOStatus::OK();
    return Synced(FSWritableFileOwnerWrapper::Sync(options, debug), options, debug);
  }

  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options,
                          rocksdb::IODebugContext* debug) override {
    if (failed_) return rocksdb::IOStatus::OK();
    return Synced(FSWritableFileOwnerWrapper::Fsync(options, debug), options, debug);
  }

 private:
  rocksdb::IOStatus Synced(rocksdb::IOStatus status, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) {
    if (status.ok()) {
      synced_size_ = size_;
    } else {
      CutOff(synced_size_, options, debug);
    }
    return status;
  }

  // If even this fails, the torn end stays, which opening tolerates.
  void CutOff(uint64_t size, const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) {
    failed_ = true;
    Truncate(size, options, debug).PermitUncheckedError();
  }

  uint64_t size_ = 0;
  uint64_t synced_size_ = 0;
  bool failed_ = false;
};

class LogFileSystem : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;

  const char* Name() const override { return "MonotableLogFileSystem"; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = target()->NewWritableFile(name, options, file, debug);
    if (status.ok() && name.ends_with(".log")) *file = std::make_unique<LogFile>(std::move(*file));
    return status;
  }
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> NewLogFileSystem(
    const std::shared_ptr<rocksdb::FileSystem>& base) {
  return std::make_shared<LogFileSystem>(base);
}

}  // namespace monotable::storage

#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include <rocksdb/file_system.h>

#include "error/result.h"
#include "storage/rocksdb/log_marks.h"
#include "storage/rocksdb/rocksdb_store.h"

namespace monotable::storage {

// The file system of a store, which takes care of the write-ahead logs in the data folder.
// Thread-safe.
//
// A log ends with the last write that succeeded. When a write to a log fails, because the disk is
// full or broken, a part of the data may be in the file; when only the sync fails, even all of it.
// The updates were reported as failed, so they must not reappear at the next start. RocksDB leaves
// the failed bytes in the file and writes them again when it resumes. Therefore a log of this file
// system cuts off the failed bytes and ignores all later writes: RocksDB switches to a new log
// before it accepts another update, and ignoring its second attempt keeps the failed updates out of
// the old log.
//
// After each sync of a log, the file MARKS notes how far the log is on the disk (log_marks.h). A
// log is on the disk to its end, with its mark, before the next one begins. So a power cut takes
// away the end of the last log at most, with either durability.
class LogFileSystem : public rocksdb::FileSystemWrapper {
 public:
  LogFileSystem(const std::shared_ptr<rocksdb::FileSystem>& base, const std::string& folder,
                Durability durability);
  ~LogFileSystem() override;

  const char* Name() const override { return "MonotableLogFileSystem"; }

  // Locks the folder, checks its logs (log_check.h) and cuts off what a write left that was
  // interrupted. Must be called before RocksDB opens the folder, which then takes over the lock.
  Status Prepare();

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus LockFile(const std::string& name, const rocksdb::IOOptions& options,
                             rocksdb::FileLock** lock, rocksdb::IODebugContext* debug) override;

 private:
  class LogFile;

  rocksdb::IOStatus SyncFolder();
  rocksdb::IOStatus SyncOpenLogs();

  const std::string folder_;  // without a slash at its end
  const Durability durability_;
  rocksdb::FileLock* lock_ = nullptr;  // until RocksDB takes it over
  std::unique_ptr<MarkWriter> marks_;
  std::mutex mutex_;
  std::set<LogFile*> open_logs_;  // guarded by mutex_
};

}  // namespace monotable::storage

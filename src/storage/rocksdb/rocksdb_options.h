#pragma once

#include <memory>

#include <rocksdb/file_system.h>
#include <rocksdb/options.h>

#include "storage/rocksdb/rocksdb_store.h"

namespace monotable::storage {

// The settings of RocksDB that our options stand for.
rocksdb::Options MakeRocksDbOptions(const RocksDbOptions& options);

// What differs for the keys of the log (storage::kLogPrefix).
rocksdb::ColumnFamilyOptions MakeLogFamilyOptions(const rocksdb::Options& options);

// A file system whose write-ahead logs end with the last write that succeeded.
//
// When a write to a log fails, because the disk is full or broken, a part of it may be in the
// file, and when only the sync fails, even all of it. Its updates are told that they failed, so
// they must not come back at the next start; nor must the torn end of the log keep the store from
// opening. RocksDB leaves both behind, and writes the failed bytes again when it resumes. So a log
// here cuts off what failed and is closed to anything more: RocksDB turns to a new log before it
// takes another write, and swallowing its second try of the old bytes is what makes them stay
// away.
std::shared_ptr<rocksdb::FileSystem> NewLogFileSystem(
    const std::shared_ptr<rocksdb::FileSystem>& base);

}  // namespace monotable::storage

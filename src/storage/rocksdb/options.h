#pragma once

#include <rocksdb/options.h>

#include "storage/rocksdb/rocksdb_store.h"

namespace monotable::storage {

// The settings of RocksDB that our options stand for.
rocksdb::Options MakeRocksDbOptions(const RocksDbOptions& options);

// What differs for the keys of the log (storage::kLogPrefix).
rocksdb::ColumnFamilyOptions MakeLogFamilyOptions(const rocksdb::Options& options);

}  // namespace monotable::storage

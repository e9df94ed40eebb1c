#pragma once

#include <string>

#include <rocksdb/status.h>

#include "error/error.h"

namespace monotable::storage {

// What a client is told when a read or write fails: what the client can do, and nothing internal.
Error RequestError(const rocksdb::Status& status);

// What the operator is told, in one line, when the store of a folder cannot be opened.
Error OpenError(const std::string& path, const rocksdb::Status& status);

// The same when a checkpoint cannot be made in a folder.
Error CheckpointError(const std::string& path, const rocksdb::Status& status);

// RocksDB's reason, shortened to one readable line.
std::string ShortReason(const rocksdb::Status& status);

// Whether the folder is locked by another store.
bool IsInUse(const rocksdb::Status& status);

}  // namespace monotable::storage

#pragma once

#include <string>

#include <rocksdb/status.h>

#include "error/error.h"

namespace monotable::storage {

// What a client is told when a read or write fails: what it can do, nothing of the inside.
Error RequestError(const rocksdb::Status& status);

// What the operator is told, in one line, when the store of a folder cannot be opened.
Error OpenError(const std::string& path, const rocksdb::Status& status);

// The same when a checkpoint cannot be made in a folder.
Error CheckpointError(const std::string& path, const rocksdb::Status& status);

// RocksDB's reason, on one line and of a length that people read.
std::string ShortReason(const rocksdb::Status& status);

// Whether somebody else has locked a folder.
bool IsInUse(const rocksdb::Status& status);

}  // namespace monotable::storage

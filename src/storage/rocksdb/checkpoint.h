#pragma once

#include <memory>
#include <string>

#include "error/result.h"
#include "storage/rocksdb/bulk_write.h"
#include "storage/rocksdb/database.h"
#include "storage/rocksdb/rocksdb_writer.h"
#include "storage/store.h"

namespace monotable::storage {

// Implements Store::Checkpoint. The folder has links to the table files, and copies of the logs as
// far as they went at the moment of the reader. Updates wait only while that moment is fixed, not
// for the links and the copies. Nothing is synced: whoever wants to keep the folder copies it.
Result<std::unique_ptr<Reader>> MakeCheckpoint(const Database* database, Writer* writer,
                                               BulkWrites* bulk_writes, const std::string& folder);

}  // namespace monotable::storage

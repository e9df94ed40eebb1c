#pragma once

#include <memory>
#include <string>

#include "error/result.h"
#include "storage/rocksdb/bulk_write.h"
#include "storage/rocksdb/database.h"
#include "storage/rocksdb/writer.h"
#include "storage/store.h"

namespace monotable::storage {

// See Store::Checkpoint. Everything acknowledged is in a table file or a log of the folder.
Result<std::unique_ptr<Reader>> MakeCheckpoint(const Database* database, Writer* writer,
                                               BulkWrites* bulk_writes, const std::string& folder);

}  // namespace monotable::storage

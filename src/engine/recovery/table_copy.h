#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

#include "engine/engine.h"
#include "engine/recovery/history.h"
#include "error/result.h"
#include "storage/store.h"

// Copies of whole tables. The keys of two tables differ only in the table id at their beginning, so
// items that are read in key order can be written in the same order by a bulk write.
namespace monotable::engine {

// Visits items in key order, whichever they are: those of a moment, or of a backup.
using ItemSource = std::function<Status(const PastVisitor& visit, const std::stop_token& stop)>;

// The items that a reader sees under a table id. The reader must outlive the source.
ItemSource StoredItems(const storage::Reader& reader, uint32_t table_id);

struct CopyFigures {
  int64_t items = 0;
  int64_t bytes = 0;  // as charged
};

// Writes the items under another table id, which no readable or writable table has. The items
// appear all at once; an error leaves none.
Result<CopyFigures> CopyItems(storage::Store& store, const ItemSource& source, uint32_t target_id,
                              const std::stop_token& stop);

// Completes a table that is being created (table::TableStatus::kCreating): its items, counters,
// item collections and indexes. First it removes what an earlier attempt left, so it may be
// repeated from the start. A table that is not there any more, or ready, is left alone. Being asked
// to stop is an error.
Status CreateFrom(Engine& engine, uint32_t table_id, const ItemSource& source,
                  const std::stop_token& stop);

// Removes a table that cannot be created, with everything written so far.
Status AbandonTable(Engine& engine, uint32_t table_id);

}  // namespace monotable::engine

#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

#include "engine/engine.h"
#include "engine/recovery/history.h"
#include "error/result.h"
#include "storage/store.h"
#include "table/definition.h"

// Copies of whole tables. Items of one table differ from those of another only in the table id that
// their keys begin with, so a walk in key order can be written as it comes, past the log of
// updates.
namespace monotable::engine {

// Visits items in key order, whichever they are: those of a moment, or of a backup.
using ItemSource = std::function<Status(const PastVisitor& visit, const std::stop_token& stop)>;

// The items that a reader sees under a table id. The reader must outlive the source.
ItemSource StoredItems(const storage::Reader& reader, uint32_t table_id);

struct CopyFigures {
  int64_t items = 0;
  int64_t bytes = 0;  // as charged
};

// Writes the items under another table id, which is in no table that can be read or written. They
// appear all at once; an error leaves none.
Result<CopyFigures> CopyItems(storage::Store& store, const ItemSource& source, uint32_t target_id,
                              const std::stop_token& stop);

// Makes a table that is being created (table::TableStatus::kCreating) into one that can be used:
// its items, counters, item collections and indexes. What an earlier attempt left is removed first,
// so that it may be done again from the start. A table that is not there any more, or ready, is
// left alone. Being asked to stop is an error.
Status CreateFrom(Engine& engine, uint32_t table_id, const ItemSource& source,
                  const std::stop_token& stop);

// Removes a table that cannot be created, with what there is of it.
Status AbandonTable(Engine& engine, uint32_t table_id);

}  // namespace monotable::engine

#pragma once

#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "error/result.h"

// Fills indexes that were added to a table that already has items. The functions are thread-safe.
//
// From the moment such an index is defined, every write maintains its entries like those of any
// other index, so the backfill only has to write the entries of items that are not written
// meanwhile. It walks the table in key order. Each step is an update that names the items of one
// stretch, so that no write comes between reading the items and putting their entries. An entry is
// a pure function of its item: putting it again changes nothing, and the walk may visit a stretch
// twice.
//
// Counters need more care, because a write counts the difference that it makes, assuming that the
// entry of the old item was counted. So while an index is filled, its counter is off by a constant:
// the number of entries that the table's items should have had when the index was defined. Once the
// walk is done, the entries are complete. A snapshot then shows both the entries and the counter,
// and the commit that makes the index active adds the difference. Increments commute, so writes in
// between do no harm.
namespace monotable::engine {

// Fills every index that is being created, from where an earlier call stopped. Returns early, and
// without an error, when asked to stop; indexes and tables dropped meanwhile are left alone. Tables
// that are still being created have no items yet; the code that creates them fills their indexes.
Status FillIndexes(Engine& engine, const std::stop_token& stop);
// The same for one table, whatever its state.
Status FillIndexesOf(Engine& engine, const TablePtr& table, const std::stop_token& stop);

// Writes something for a stretch of items, in an update that names the items, so that no other
// write comes in between. Returns false if the walk has lost its purpose; its progress is then not
// recorded.
using StretchVisitor =
    std::function<bool(std::span<const std::string> keys,
                       std::span<const std::optional<std::string_view>> items, storage::Batch*)>;

// Walks the items of a table in key order, stretch by stretch, from where an earlier walk with the
// same progress key stopped. Ends early, and without an error, when goes_on says no. A stretch may
// be visited twice. The caller deletes the progress key when the walk is done.
Status WalkItems(Engine& engine, uint32_t table_id, const std::string& progress_key,
                 const std::function<bool()>& goes_on, const StretchVisitor& visit);

}  // namespace monotable::engine

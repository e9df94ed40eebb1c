#pragma once

#include <stop_token>

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

}  // namespace monotable::engine

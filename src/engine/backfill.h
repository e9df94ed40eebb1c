#pragma once

#include <stop_token>

#include "engine/engine.h"
#include "error/result.h"

// Fills indexes that were added to a table which has items already.
//
// From the moment in which such an index is defined, every write keeps its entries as it keeps
// those of any other index, so the backfill only has to write the entries of items that nobody
// writes meanwhile. It walks the table in key order; a step names the items of one stretch, so that
// no write comes between reading them and putting their entries. An entry is a pure function of its
// item: putting one that is there already changes nothing, and the walk may do a stretch twice.
//
// Counters need more care, because a write counts the difference that it makes, assuming that the
// entry of the old item was counted. So while an index is filled its counter is off by a constant:
// by the entries that the table's items had at the moment of the definition. Once the walk is done
// the entries are complete; one snapshot then shows the entries there are and the count there is,
// and the difference is added in the commit that makes the index active. Increments commute, so
// writes in between do no harm.
namespace monotable::engine {

// Fills every index that is being created, from where an earlier call stopped. Returns early, and
// without an error, when asked to stop; indexes and tables dropped meanwhile are left alone. Tables
// that are being created themselves have no items yet: they are left to whoever creates them.
Status FillIndexes(Engine& engine, const std::stop_token& stop);
// The same for one table, whatever its state.
Status FillIndexesOf(Engine& engine, const TablePtr& table, const std::stop_token& stop);

}  // namespace monotable::engine

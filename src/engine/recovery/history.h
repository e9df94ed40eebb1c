#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <string_view>

#include "encoding/item.h"
#include "error/result.h"
#include "storage/store.h"
#include "table/definition.h"

// The past of a table, from its items now and its change log (engine/change_log.h). The first
// change of an item after a moment holds the image that the item had at that moment; an item
// without a later change is unchanged. So only old images have to be kept. The functions are
// thread-safe.
namespace monotable::engine {

// A place in the log that is after all commits of a time. (Sequences are stored as signed numbers.)
inline table::LogMoment EndOf(int64_t time_ms) {
  return {time_ms, static_cast<uint64_t>(std::numeric_limits<int64_t>::max())};
}

// How much of the log is held in memory at a time.
inline constexpr size_t kHistoryBytes = size_t{64} << 20;

// A moment of a table. The reader must be a snapshot of that moment or later, and the log must
// reach back to the moment. Memory is bounded: if many items changed since, the log is read several
// times.
struct Past {
  const storage::Reader& reader;
  const table::TableDefinition& table;
  table::LogMoment moment;  // the last commit that counts
  size_t memory_bytes = kHistoryBytes;
};

// The error of work that was asked to stop.
Error Stopped();

using PastVisitor = std::function<Status(std::string_view item_key, encoding::ItemView item)>;

// Visits the items of a table as they were, in key order. Being asked to stop is an error.
Status WalkPast(const Past& past, const PastVisitor& visit, const std::stop_token& stop);
// The same for the moment after all commits up to and including a time.
Status WalkPast(const storage::Reader& reader, const table::TableDefinition& table, int64_t time_ms,
                const PastVisitor& visit, const std::stop_token& stop);

// How one item differs between two moments.
struct PastChange {
  std::string_view item_key;
  encoding::ItemView key_image;  // some image, for its key attributes
  std::optional<encoding::ItemView> old_item;
  std::optional<encoding::ItemView> new_item;
  int64_t written_at_ms = 0;  // the last write up to the later moment
};
using ChangeVisitor = std::function<Status(const PastChange& change)>;

// Visits the items that were written after one moment, up to and including another, in key order.
Status WalkChanges(const Past& past, const table::LogMoment& from, const ChangeVisitor& visit,
                   const std::stop_token& stop);
Status WalkChanges(const storage::Reader& reader, const table::TableDefinition& table,
                   int64_t from_ms, int64_t to_ms, const ChangeVisitor& visit,
                   const std::stop_token& stop);

}  // namespace monotable::engine

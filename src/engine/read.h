#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "encoding/item.h"
#include "error/result.h"
#include "expression/condition.h"
#include "expression/key_condition.h"
#include "expression/projection.h"
#include "storage/store.h"
#include "table/definition.h"

// The read path: reads of one item by its key, and the one paging function behind Query and Scan.
// Everything here is a function of a reader, so the caller decides whether it sees the newest
// values or those of a snapshot. Reads charge for what they read (work/meter.h); those that are
// stopped return an error.
namespace monotable::engine {

// The item under a stored key (encoding/keyspace.h), in the bytes in which it is stored.
Result<std::optional<encoding::EncodedItem>> ReadItem(const storage::Reader& reader,
                                                      std::string_view key);

// Where the entries of a Query are: in one partition, and there in one range.
struct QueryRange {
  std::string partition;  // with this every key of the partition begins
  storage::Range range;
};

// The entries of a table (index null) or index that match a key condition on its schema.
QueryRange RangeOf(const table::TableDefinition& table, const table::IndexDefinition* index,
                   const expression::KeyCondition& condition);

// A page ends with the entry that brings the charged sizes of its entries to this many bytes, or
// before the one that would go beyond.
inline constexpr size_t kMaxPageBytes = 1024 * 1024;

// What one page reads, and what it makes of each entry.
struct PageRequest {
  const table::TableDefinition& table;
  const table::IndexDefinition* index = nullptr;  // null: the table's own items
  storage::Range range;
  storage::Direction direction = storage::Direction::kForward;
  std::optional<int64_t> limit = {};  // of entries evaluated, whether the filter keeps them or not
  const expression::BoundCondition* filter = nullptr;
  const expression::BoundProjection* projection = nullptr;
  bool keep_items = true;  // false where only the counts matter
  // Whether to read the table's item for every entry of a local index, because the request asks for
  // attributes that the index does not project. The reader must be a snapshot, so that entry and
  // item agree.
  bool fetch_from_table = false;
  // Whether the page holds the fetched items. If not, the items were fetched for the filter only
  // and the page holds the entries. Must be true without a filter.
  bool keep_fetched = true;
};

struct Page {
  std::vector<encoding::EncodedItem> items;
  int64_t count = 0;                  // entries that the filter kept
  int64_t scanned_count = 0;          // entries evaluated
  size_t bytes = 0;                   // their charged sizes together
  std::vector<size_t> fetched_bytes;  // the charged size of every item fetched from the table
  // The key of the last entry evaluated, if the page ended before its range did. A page that ends
  // at its limit cannot know whether more entries follow, so the key may be set although there are
  // none.
  std::optional<encoding::EncodedItem> last_evaluated_key;
};

Result<Page> ReadPage(const storage::Reader& reader, const PageRequest& request);

// Shortens a range to what comes after a stored key in the direction of reading.
void StartAfter(std::string_view key, storage::Direction direction, storage::Range* range);

}  // namespace monotable::engine

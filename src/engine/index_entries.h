#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "encoding/item.h"
#include "error/result.h"
#include "storage/store.h"
#include "table/definition.h"

// What an item looks like in an index: a key (encoding::IndexKey) and the projected attributes as
// an encoded item. Entries are a pure function of the item, so writing one twice is harmless.
namespace monotable::engine {

// The part of an item that an index holds. If the index projects everything, this points into the
// item's record, which must outlive it.
class ProjectedItem {
 public:
  ProjectedItem(const table::TableDefinition& table, const table::IndexDefinition& index,
                encoding::ItemView item);

  std::string_view bytes() const { return projected_.empty() ? whole_ : projected_.bytes; }
  size_t charged_size() const { return encoding::ItemView(bytes()).ChargedSize(); }

 private:
  std::string_view whole_;           // used when everything is projected
  encoding::EncodedItem projected_;  // used otherwise
};

class IndexEntry {
 public:
  // Returns nullopt if the item has no entry in this index (sparse index). The record of the item
  // must outlive the entry.
  static std::optional<IndexEntry> Of(const table::TableDefinition& table,
                                      const table::IndexDefinition& index,
                                      const encoding::AttributeLookup& item);
  static std::optional<IndexEntry> Of(const table::TableDefinition& table,
                                      const table::IndexDefinition& index,
                                      encoding::ItemView item) {
    return Of(table, index, encoding::AttributeLookup(item));
  }

  const std::string& key() const { return key_; }
  std::string_view value() const { return value_.bytes(); }
  size_t charged_size() const { return value_.charged_size(); }

 private:
  IndexEntry(std::string key, ProjectedItem value)
      : key_(std::move(key)), value_(std::move(value)) {}

  std::string key_;
  ProjectedItem value_;
};

// What a change of one item did to one index, as the service charges it: nothing when the entry is
// the same, one write when it was put, removed or changed in place, two when its key moved.
struct IndexChange {
  double write_units = 0;
  int64_t entries = 0;  // entries added (negative: removed)
  int64_t bytes = 0;
};

// Updates an index from an item's old image to its new one; null where there is none.
IndexChange UpdateIndex(const table::TableDefinition& table, const table::IndexDefinition& index,
                        const encoding::AttributeLookup* old_item,
                        const encoding::AttributeLookup* new_item, storage::Batch* batch);

}  // namespace monotable::engine

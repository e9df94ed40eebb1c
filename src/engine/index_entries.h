#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "encoding/item.h"
#include "error/result.h"
#include "storage/store.h"
#include "table/definition.h"

// What an item looks like in an index: a key (encoding::IndexKey) and the projected attributes as
// an encoded item. Entries are a pure function of the item, so writing one twice is harmless.
namespace monotable::engine {

class IndexEntry {
 public:
  // Returns nullopt if the item has no entry in this index (sparse index). The entry of an index
  // that projects everything points into the item's record, which must outlive the entry.
  static std::optional<IndexEntry> Of(const table::TableDefinition& table,
                                      const table::IndexDefinition& index, encoding::ItemView item);

  const std::string& key() const { return key_; }
  std::string_view value() const { return projected_.empty() ? whole_ : projected_.bytes; }
  size_t charged_size() const { return encoding::ItemView(value()).ChargedSize(); }

 private:
  std::string key_;
  std::string_view whole_;           // used when everything is projected
  encoding::EncodedItem projected_;  // used otherwise
};

// What a change of one item did to one index, as the service charges it: nothing when the entry is
// the same, one write when it was put, removed or changed in place, two when its key moved.
struct IndexChange {
  double write_units = 0;
  int64_t entries = 0;  // entries added (negative: removed)
  int64_t bytes = 0;
};

// Updates an index from an item's old image to its new one.
IndexChange UpdateIndex(const table::TableDefinition& table, const table::IndexDefinition& index,
                        std::optional<encoding::ItemView> old_item,
                        std::optional<encoding::ItemView> new_item, storage::Batch* batch);

}  // namespace monotable::engine

#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "encoding/item.h"
#include "engine/engine.h"
#include "error/result.h"
#include "item/value.h"
#include "transfer/error_report.h"

namespace monotable::transfer {

// Writes the items of an import in batches. An item that a later one has the key of is replaced by
// it, as if each was written by itself. Not thread-safe.
class ItemSink {
 public:
  ItemSink(engine::Engine& engine, engine::TablePtr table, ErrorReport* report);

  // An item that the table takes (engine::CheckItem).
  Status Add(const item::Item& item, SourcePlace place);
  // Writes what waits. What the write path refuses is reported.
  Status Flush();

  int64_t imported() const { return imported_; }

 private:
  struct Waiting {
    item::Item key;
    encoding::EncodedItem item;
    SourcePlace place;
  };

  // True if the batch was written; false if there were items in it that could not be, which are in
  // it no more.
  Result<bool> Write();

  engine::Engine& engine_;
  const engine::TablePtr table_;
  ErrorReport& report_;
  std::vector<Waiting> waiting_;
  std::set<std::string> keys_;  // of what waits
  size_t bytes_ = 0;
  int64_t imported_ = 0;
};

}  // namespace monotable::transfer

#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "encoding/keyspace.h"
#include "error/result.h"
#include "storage/store.h"
#include "table/definition.h"

namespace monotable::engine {

using TablePtr = std::shared_ptr<const table::TableDefinition>;

// The tables, in memory and in the store. Thread-safe. A definition never changes; a change
// replaces it. A change takes its place among the writes at the moment it is decided: every write
// decided after it sees the new definition (see Write::Decide).
class Catalog {
 public:
  static Result<std::unique_ptr<Catalog>> Open(storage::Store& store);
  ~Catalog();

  // nullptr if there is no such table.
  TablePtr Find(std::string_view name) const;
  TablePtr FindById(uint32_t id) const;
  std::vector<std::string> Names() const;  // sorted by bytes
  std::vector<TablePtr> All() const;

  // Decides a change of a table: returns the new definition, or nullopt to drop the table. Receives
  // nullptr if there is no such table. Runs on a thread of the store, possibly more than once. An
  // error changes nothing, and Change returns it.
  using Decision = Result<std::optional<table::TableDefinition>>;
  using Decide = std::function<Decision(const table::TableDefinition* current, uint32_t new_id)>;

  // Writes more in the commit of a change; called after a decision that is not an error.
  using Also = std::function<void(const storage::Commit& commit, storage::Batch* batch)>;

  // Applies a change and waits until it is durable. A new table gets the id new_id, which was never
  // used before. Dropping a table removes its items, index entries, counters and changes in the
  // same commit; so does dropping an index with its entries. Data that can still be read stays: the
  // change log, for streams that are younger than a day (see Dropped), and the items of a table
  // with point-in-time recovery, of which the caller makes a backup in `also`. Returns the new
  // definition, or the old one when the table was dropped. Never call it on a thread of the store.
  Result<TablePtr> Change(const std::string& name, Decide decide, Also also = nullptr);

  // Returns an id that no table has or will have, for items outside the catalog.
  Result<uint32_t> TakeTableId();

  // Tables that were dropped and whose streams can still be read.
  Result<std::vector<TablePtr>> Dropped() const;
  // The position of a commit's changes in the log of a table. If the time of day was set back since
  // an earlier process wrote to the log, the time of positions stands still until the clock has
  // caught up.
  encoding::ChangePosition LogPosition(const storage::Commit& commit, uint32_t position = 0) const;

 private:
  struct Snapshot;
  class ChangeUpdate;

  // Changes of one table that were decided and are not yet on disk, in the order of their
  // decisions. The last of them determines the table. A change that fails is removed.
  struct Pending {
    TablePtr durable;  // nullptr: no table
    std::vector<std::pair<const ChangeUpdate*, TablePtr>> decided;
  };

  explicit Catalog(storage::Store& store);
  Status Load();
  Status FindNewestChange(const table::TableDefinition& table);
  const std::shared_ptr<const Snapshot>& Current() const;

  // Changes call these on threads of the store: Publish when the change is decided, Retract when it
  // failed or is decided again, Settle when it is on disk.
  void Publish(const ChangeUpdate* change, const std::string& name, TablePtr made);
  void Retract(const ChangeUpdate* change, const std::string& name);
  void Settle(const ChangeUpdate* change, const std::string& name, TablePtr made);
  // The caller holds mutex_.
  void Remove(const ChangeUpdate* change, std::map<std::string, Pending>::iterator pending);
  void Replace(const std::string& name, TablePtr next);

  storage::Store& store_;
  int64_t newest_change_ms_ = 0;             // of an earlier process
  mutable std::mutex mutex_;                 // guards the next two
  std::shared_ptr<const Snapshot> current_;  // never nullptr
  std::map<std::string, Pending> pending_;   // by table name
  std::atomic<const Snapshot*> newest_;      // current_.get(), to see without the lock
};

}  // namespace monotable::engine

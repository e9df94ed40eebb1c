#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "engine/write.h"
#include "entities/application.h"
#include "entities/record.h"
#include "entities/write/key_locks.h"
#include "entities/write/range_recorder.h"

namespace monotable::entities {

// One item that a write reads or changes.
struct Slot {
  const Entity* entity = nullptr;  // null: an internal item
  engine::TablePtr table;
  item::Item key;
  std::optional<encoding::EncodedItem> image;  // as it was read
  std::optional<Record> before;                // the image as a record, of an entity
  std::optional<Record> after;                 // what it becomes, of an entity
  std::optional<item::Item> internal;          // what it becomes, of an internal item
  bool written = false;                        // becomes `after` or `internal`, or is deleted
  bool any_image = true;                       // if not written: the item must only still exist
  bool alone = false;                          // if not written: its members were looked at
  bool replaced = false;                       // all of it was given anew, so defaults apply
  bool raw = false;                            // a client of the DynamoDB API wrote it itself
  bool cascade = false;                        // deleted with its collection
  Slot* moved_from = nullptr;                  // where the item was before its key changed
  bool moved_away = false;
  std::string path;                           // JSON pointer of the request's object, for problems
  std::vector<std::string> set_by_operation;  // attributes whose values no client gave

  // The item as it was, also if its key has changed.
  const Record* old_record() const;
  bool created() const { return written && after && old_record() == nullptr; }
  bool deleted() const { return written && !after && !internal && !moved_away; }
  // The item as the draft has it.
  const Record* current() const;
};

// What one attempt to write has read and decided. The engine compares every item and every range
// that the draft has read when it decides the write, so nothing that the rules looked at
// can have changed, whichever server has changed it. The locks of this process are only a queue:
// they keep attempts from being made in vain. Not thread-safe.
class Draft {
 public:
  Draft(engine::Engine& engine, KeyLocks::Holder locks, int64_t now_ms)
      : engine_(engine), locks_(std::move(locks)), now_ms_(now_ms), reader_(engine.store()) {}

  engine::Engine& engine() const { return engine_; }
  // What is read from ranges through this reader becomes a part of the transaction. A write that
  // adds to such a range must load the item that the range belongs to.
  const storage::Reader& reader() const { return reader_; }
  int64_t now_ms() const { return now_ms_; }

  // The slot of an item, which is read when it is first asked for. The lock is shared for an item
  // that is only looked at.
  Result<Slot*> Load(const Entity& entity, const item::Item& key, KeyLocks::Mode mode);
  // The slot of an item that a read has found. The item is read again under the lock.
  Result<Slot*> Load(const Entity& entity, const encoding::EncodedItem& found, KeyLocks::Mode mode);
  // The slot of an item that counts as it was before the store had what it has now.
  Result<Slot*> Assume(const Entity& entity, engine::TablePtr table, const item::Item& key,
                       std::optional<encoding::EncodedItem> image);
  Result<Slot*> LoadInternal(const Entity& of_table, const item::Item& key);
  // Holds a name that does not stand for an item alone, here and when the write is decided.
  Status Lock(const std::string& name);

  const std::vector<std::unique_ptr<Slot>>& slots() const { return slots_; }
  // The slot of an item that a read has found, if it was loaded; null otherwise.
  Result<Slot*> FindLoaded(const Entity& entity, const encoding::EncodedItem& found) const;

  // Whether an attempt failed only because another write held a lock.
  bool blocked() const { return blocked_; }
  KeyLocks::Holder& locks() { return locks_; }

  // The transaction of the engine for all slots.
  Result<engine::WriteRequest> Build() const;

 private:
  Result<Slot*> LoadSlot(const Entity* entity, engine::TablePtr table, const item::Item& key,
                         KeyLocks::Mode mode);
  Result<Slot*> AddSlot(const Entity* entity, engine::TablePtr table, const item::Item& key,
                        std::string stored_key, std::optional<encoding::EncodedItem> image);

  engine::Engine& engine_;
  KeyLocks::Holder locks_;
  const int64_t now_ms_;
  const RangeRecorder reader_;
  bool blocked_ = false;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::map<std::string, Slot*> by_key_;
  std::set<std::string> names_;
};

// The image of a slot after the write. Nothing if the write leaves no item there.
Result<std::optional<encoding::EncodedItem>> NewImage(const Slot& slot);

// Items that the rules need beside those of the entities: markers of unique values, counters of ids
// and jobs in the background. They are in the table of their entity, so that they move with the
// table, and no entity recognises them.
inline constexpr std::string_view kInternalPrefix = "MONOTABLE#";

// The key of such an item in the table of an entity: its hash attribute is the prefix with the
// name, its range attribute the prefix.
item::Item InternalKey(const Entity& of_table, const std::string& name);
// The key of a job: all jobs of a table are in one partition, so that they can be listed. Nothing
// if the keys of the table cannot spell it: it has no range attribute, or the name is too long for
// one.
inline constexpr std::string_view kJobsPartition = "MONOTABLE#JOBS";
std::optional<item::Item> JobKey(const model::TableModel& table, const std::string& name);
// Whether a key is that of an internal item.
bool IsInternal(const model::TableModel& table, const item::Item& key);

}  // namespace monotable::entities

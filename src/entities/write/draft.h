#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "engine/write.h"
#include "entities/application.h"
#include "entities/record.h"
#include "entities/write/key_locks.h"

namespace monotable::entities {

// One item that a write reads or changes.
struct Slot {
  const Entity* entity = nullptr;  // null: an internal item
  engine::TablePtr table;
  item::Item key;
  std::optional<encoding::EncodedItem> image;  // as it was read
  std::optional<Record> before;                // the same, of an entity
  std::optional<Record> after;                 // what it becomes, of an entity
  std::optional<item::Item> internal;          // likewise, of an internal item
  bool written = false;                        // `after` (or `internal`) counts; nothing: deleted
  bool any_image = true;                       // if not written: only that it is there matters
  bool replaced = false;                       // all of it was given anew, so defaults apply
  bool cascade = false;                        // deleted with its collection
  Slot* moved_from = nullptr;                  // where the item was before its key changed
  bool moved_away = false;
  std::string path;  // JSON pointer of the request's object, for problems

  // The item as it was, wherever it was.
  const Record* old_record() const;
  bool created() const { return written && after && old_record() == nullptr; }
  bool deleted() const { return written && !after && !internal && !moved_away; }
  // What it is within the draft.
  const Record* current() const;
};

// What one attempt to write has read and decided. Everything read is locked first and seen again
// when the write is decided, so nothing that the rules looked at can have changed. Not thread-safe.
class Draft {
 public:
  Draft(engine::Engine& engine, KeyLocks::Holder locks, int64_t now_ms)
      : engine_(engine), locks_(std::move(locks)), now_ms_(now_ms) {}

  engine::Engine& engine() const { return engine_; }
  const storage::Reader& reader() const { return engine_.store().Latest(); }
  int64_t now_ms() const { return now_ms_; }

  // The slot of an item, read if it was not yet. Shared if it is only looked at.
  Result<Slot*> Load(const Entity& entity, const item::Item& key, KeyLocks::Mode mode);
  // The same for an item that a read has found; it is read again under the lock.
  Result<Slot*> Load(const Entity& entity, const encoding::EncodedItem& found, KeyLocks::Mode mode);
  Result<Slot*> LoadInternal(const Entity& of_table, const item::Item& key);
  // Takes a lock on a name that is no item.
  Status Lock(const std::string& name, KeyLocks::Mode mode);

  const std::vector<std::unique_ptr<Slot>>& slots() const { return slots_; }
  // The slot of an item that a read has found, if it was loaded; null otherwise.
  Result<Slot*> FindLoaded(const Entity& entity, const encoding::EncodedItem& found) const;

  // Whether an attempt failed only because somebody else held a lock.
  bool blocked() const { return blocked_; }
  KeyLocks::Holder& locks() { return locks_; }

  // The engine's transaction for all of it.
  Result<engine::WriteRequest> Build() const;

 private:
  Result<Slot*> LoadSlot(const Entity* entity, engine::TablePtr table, const item::Item& key,
                         KeyLocks::Mode mode);

  engine::Engine& engine_;
  KeyLocks::Holder locks_;
  const int64_t now_ms_;
  bool blocked_ = false;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::map<std::string, Slot*> by_key_;
};

// The image of a slot after the write; nothing if there is no item then.
Result<std::optional<encoding::EncodedItem>> NewImage(const Slot& slot);

// Items that the rules need beside those of the entities: markers of unique values, counters of ids
// and jobs that go on in the background. They are in the table of their entity, so that they go
// with it wherever it goes, and no entity recognises them.
inline constexpr std::string_view kInternalPrefix = "MONOTABLE#";

// The key of such an item in the table of an entity: its hash attribute is the prefix with the
// name, its range attribute the prefix.
item::Item InternalKey(const Entity& of_table, const std::string& name);
// The key of a job: all jobs of a table are in one partition, so that they can be listed. Nothing
// if the keys of the table cannot spell it: it has no range attribute, or the name is too long for
// one.
inline constexpr std::string_view kJobsPartition = "MONOTABLE#JOBS";
std::optional<item::Item> JobKey(const model::TableModel& table, const std::string& name);
// Whether a key is one of those.
bool IsInternal(const model::TableModel& table, const item::Item& key);

}  // namespace monotable::entities

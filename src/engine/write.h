#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "encoding/item.h"
#include "engine/change_log.h"
#include "engine/engine.h"
#include "engine/idempotency.h"
#include "expression/condition.h"
#include "expression/substitutions.h"
#include "expression/update.h"
#include "item/value.h"
#include "storage/store.h"

// THE write path. PutItem, UpdateItem, DeleteItem, a batch and a transaction are all a list of item
// writes that becomes one storage update: old items in, one atomic batch out, holding the items,
// their index entries, counters, change-log records and the idempotency token.
namespace monotable::engine {

enum class WriteAction { kPut, kDelete, kUpdate, kConditionCheck };

// What a caller saw of an item when it prepared its write. If the item is different when the write
// is decided, nothing of the request is written and the error is kTransactionConflict, so that the
// caller looks again.
struct Sighting {
  // Whether only the existence of the item matters; its content may have changed.
  bool any_image = false;
  std::optional<std::string> image;  // the bytes of the item; nullopt if there was none
};

// What to do with one item. The operation has checked everything that does not need the old item.
struct ItemWrite {
  TablePtr table;
  std::string table_name;  // as the request named it, by name or by ARN, for the answer
  WriteAction action = WriteAction::kPut;
  item::Item key;                           // the key attributes alone
  encoding::EncodedItem put;                // the new item of a kPut
  expression::Substitutions substitutions;  // what the expressions below point into
  std::optional<expression::BoundCondition> condition;
  std::optional<expression::BoundUpdate> update;  // of a kUpdate; absent: only make sure it exists
  std::optional<Sighting> seen;
  // Names the item in exclusive mode, although the write only checks it, because the write depends
  // on a range whose writers share the item (see WriteRequest::ranges).
  bool alone = false;
  // Replaces the result of the action as the new image. Requires `seen`.
  std::optional<encoding::EncodedItem> replacement;
  // For a kDelete by time to live, which does nothing unless the item still expires in this second.
  std::optional<int64_t> expires_at;
  // Which images the outcome shall carry.
  bool keep_old = false;
  bool keep_new = false;
  bool keep_old_on_condition_failure = false;
};

struct IndexCost {
  size_t index = 0;  // position in the table definition's indexes
  double write_units = 0;
};

// What became of one item write.
struct ItemOutcome {
  TablePtr table;              // the definition in force when the write was decided
  std::optional<Error> error;  // why it was refused: the condition failed, the result is not legal
  std::optional<encoding::EncodedItem> old_item;
  std::optional<encoding::EncodedItem> new_item;
  size_t charged_bytes = 0;  // the larger of the images before and after
  std::vector<IndexCost> index_costs;
};

struct WriteOutcome {
  // One per item write, in order. Nothing was written if any has an error.
  std::vector<ItemOutcome> items;
  // Set when the token showed that this is a retry of a transaction already done.
  std::optional<TokenRecord> replayed;

  bool refused() const;
  // Of the images that the outcome carries.
  size_t image_bytes() const;
};

struct IdempotencyToken {
  std::string token;
  std::string fingerprint;
  std::string note = {};  // whatever a replay shall find
};

// A key that is only locked. Names and keys of items cannot be the same.
struct KeyLock {
  std::string name;
  storage::KeyMode mode = storage::KeyMode::kExclusive;
};

struct WriteRequest {
  std::vector<ItemWrite> items;  // no two of the same item
  std::optional<IdempotencyToken> token;
  // What the caller saw in ranges when it prepared its write. If one of them holds something else
  // when the write is decided, this is as with an item that is not as it was seen (Sighting). A
  // caller that depends on a range, and one that writes into it, must name a common key
  // (storage::Update): as an item, or as a lock.
  std::vector<storage::SeenRange> ranges;
  // Keys that the write names beside those of its items.
  std::vector<KeyLock> locks;
  ChangeOrigin origin = ChangeOrigin::kUser;
  // Whether the items need not be written together. A request that is too much work at once is
  // then written item by item. If one of them fails, others may have been written. Not with
  // ranges or locks.
  bool independent = false;
};

// Called exactly once, on a thread of the store or of the executor, with the request that it
// answers, from which it may move. It must only hand over: a thread of the store has no time. An
// Error means that the write failed as a whole (the disk is full, the token belongs to
// another request) and that nothing was written.
using WriteCallback = std::function<void(WriteRequest&, Result<WriteOutcome>)>;

// The counter of the bytes of the item collection that an item with this key belongs to.
std::string CollectionKey(const table::TableDefinition& table, const item::Item& key);

// Submits the writes and returns at once. Writes to tables that the engine's guard covers go
// through the guard.
void SubmitWrite(Engine& engine, WriteRequest request, WriteCallback callback);
// The same without the guard, for the guard itself and for writes that already follow its rules.
void SubmitUnguarded(Engine& engine, WriteRequest request, WriteCallback callback);
// The same, but waits for the outcome. Must not be called on a thread of the store.
Result<WriteOutcome> WriteAndWait(Engine& engine, WriteRequest request);

// Stands between the operations and the write path for tables that have more rules than DynamoDB.
// Implementations must be thread-safe.
class WriteGuard {
 public:
  virtual ~WriteGuard() = default;
  virtual bool Covers(const table::TableDefinition& table) const = 0;
  // Whether deletions by time to live on a table go through the guard, too: one by one, as requests
  // with the origin kTimeToLive. The guard must not keep such an item for good.
  virtual bool CoversExpiry(const table::TableDefinition& /*table*/) const { return false; }
  // As SubmitWrite; the callback must get the request and an outcome for each of its items.
  virtual void Submit(WriteRequest request, WriteCallback callback) = 0;
};

// The image that a write would make of an old one if it were decided now; nullopt if there is no
// item afterwards. An error says why the write would be refused.
Result<std::optional<encoding::EncodedItem>> PreviewWrite(
    const ItemWrite& write, const std::optional<encoding::EncodedItem>& old_item);

// The record of a valid token; nullopt if the token is not known.
Result<std::optional<TokenRecord>> FindToken(Engine& engine, std::string_view token);

}  // namespace monotable::engine

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "encoding/item.h"
#include "engine/engine.h"
#include "engine/idempotency.h"
#include "expression/condition.h"
#include "expression/substitutions.h"
#include "expression/update.h"
#include "item/value.h"

// THE write path. PutItem, UpdateItem, DeleteItem, a batch and a transaction are all a list of item
// writes that becomes one storage update: old items in, one atomic batch out, holding the items,
// their index entries, counters, change-log records and the idempotency token.
namespace monotable::engine {

enum class WriteAction { kPut, kDelete, kUpdate, kConditionCheck };

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
};

struct IdempotencyToken {
  std::string token;
  std::string fingerprint;
};

struct WriteRequest {
  std::vector<ItemWrite> items;  // no two of the same item
  std::optional<IdempotencyToken> token;
};

// Called exactly once, on a thread of the store, with the request it answers. An Error means that
// the write as a whole failed (the disk is full, the token belongs to another request); nothing was
// written.
using WriteCallback = std::function<void(const WriteRequest&, Result<WriteOutcome>)>;

// The counter of the bytes of the item collection that an item with this key belongs to.
std::string CollectionKey(const table::TableDefinition& table, const item::Item& key);

// Submits the writes and returns at once.
void SubmitWrite(Engine& engine, WriteRequest request, WriteCallback callback);

}  // namespace monotable::engine

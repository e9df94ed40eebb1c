#pragma once

#include "engine/write.h"
#include "operations/parameters.h"
#include "operations/put_item.h"

// How the write operations answer.
namespace monotable::operations {

// What one item write cost, into the entry of its table.
void AddWriteCost(const engine::ItemOutcome& outcome, bool transactional,
                  ConsumedCapacity* capacity);

// The capacity of writes to any number of tables, one entry a table; empty if not asked for.
std::vector<ConsumedCapacity> WriteCapacity(const engine::WriteRequest& request,
                                            const std::vector<engine::ItemOutcome>& outcomes,
                                            bool transactional, ReturnConsumedCapacity detail);

// ItemCollectionMetrics of a write; absent for tables without local indexes, as in the service.
std::optional<ItemCollectionMetrics> CollectionMetrics(engine::Engine& engine,
                                                       const engine::ItemWrite& write);

// The same for every write of a request, each item collection once.
std::vector<ItemCollectionMetrics> CollectionMetrics(engine::Engine& engine,
                                                     const engine::WriteRequest& request);

// Submits one item write and answers as PutItem, UpdateItem and DeleteItem do.
void SubmitSingle(engine::Engine& engine, engine::ItemWrite write,
                  const SingleWriteRequest& request, Done<WriteItemResponse> done);

}  // namespace monotable::operations

#include "operations/batch_write_item.h"

#include <set>
#include <utility>

#include "encoding/keyspace.h"
#include "operations/write_answer.h"
#include "operations/write_expressions.h"

namespace monotable::operations {
namespace {

Result<engine::WriteRequest> Prepare(engine::Engine& engine, BatchWriteItemRequest& request) {
  for (const auto& [table_name, writes] : request.tables) {
    for (const WriteRequest& wanted : writes) {
      if (!wanted.is_delete) TRY(CheckItemSize(wanted.item));
    }
  }
  engine::WriteRequest batch;
  std::set<std::string> keys;
  for (auto& [table_name, writes] : request.tables) {
    for (WriteRequest& wanted : writes) {
      engine::ItemWrite write;
      if (wanted.is_delete) {
        write.action = engine::WriteAction::kDelete;
        TRY(PrepareKeyed(engine, table_name, std::move(wanted.item), &write));
      } else {
        TRY(PreparePut(engine, table_name, wanted.item, &write));
      }
      if (!keys.insert(encoding::ItemKey(*write.table, write.key)).second) {
        return Error::Validation("Provided list of item keys contains duplicates");
      }
      batch.items.push_back(std::move(write));
    }
  }
  return batch;
}

}  // namespace

// The whole batch is one atomic write. The service promises less (each put or delete by itself), so
// clients cannot tell, and one commit costs less than 25.
void BatchWriteItem(engine::Engine& engine, BatchWriteItemRequest request,
                    Done<BatchWriteItemResponse> done) {
  auto batch = Prepare(engine, request);
  if (!batch) return done(std::move(batch).error());
  const auto detail = request.return_consumed_capacity;
  const bool with_metrics = request.return_item_collection_metrics;
  engine::SubmitWrite(
      engine, std::move(*batch),
      [&engine, detail, with_metrics, done = std::move(done)](const engine::WriteRequest& submitted,
                                                              Result<engine::WriteOutcome> result) {
        if (!result) return done(std::move(result).error());
        for (engine::ItemOutcome& outcome : result->items) {
          if (outcome.error) return done(std::move(*outcome.error));
        }
        BatchWriteItemResponse response;
        response.consumed_capacity = WriteCapacity(submitted, result->items, false, detail);
        if (with_metrics) {
          response.item_collection_metrics = CollectionMetrics(engine, submitted);
        }
        done(std::move(response));
      });
}

}  // namespace monotable::operations

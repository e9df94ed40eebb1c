#pragma once

#include "engine/engine.h"
#include "operations/parameters.h"

namespace monotable::operations {

struct WriteRequest {
  bool is_delete = false;
  item::Item item;  // the key, for a delete
};

struct BatchWriteItemRequest {
  std::vector<std::pair<std::string, std::vector<WriteRequest>>> tables;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
  bool return_item_collection_metrics = false;
};

struct BatchWriteItemResponse {
  // UnprocessedItems is always empty: what is accepted is written.
  std::vector<ConsumedCapacity> consumed_capacity;
  std::vector<ItemCollectionMetrics> item_collection_metrics;
};

void BatchWriteItem(engine::Engine& engine, BatchWriteItemRequest request,
                    Done<BatchWriteItemResponse> done);

}  // namespace monotable::operations

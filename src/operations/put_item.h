#pragma once

#include "engine/engine.h"
#include "operations/parameters.h"

namespace monotable::operations {

struct PutItemRequest : SingleWriteRequest {
  item::Item item;
};

// The answer of PutItem, UpdateItem and DeleteItem.
struct WriteItemResponse {
  std::optional<encoding::EncodedItem> attributes;
  std::optional<ConsumedCapacity> consumed_capacity;
  std::optional<ItemCollectionMetrics> item_collection_metrics;
};

void PutItem(engine::Engine& engine, PutItemRequest request, Done<WriteItemResponse> done);

}  // namespace monotable::operations

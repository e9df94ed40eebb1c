#pragma once

#include "engine/engine.h"
#include "operations/parameters.h"

namespace monotable::operations {

struct KeysAndAttributes {
  std::vector<item::Item> keys;
  bool consistent_read = false;
  std::optional<std::string> projection_expression;
  std::optional<std::vector<std::string>> attributes_to_get;
  ExpressionAttributes attributes;
};

struct BatchGetItemRequest {
  // The keys of each table, by the name or ARN in the request, in the order of the request.
  std::vector<std::pair<std::string, KeysAndAttributes>> tables;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
};

struct BatchGetItemResponse {
  std::vector<std::pair<std::string, std::vector<encoding::EncodedItem>>> responses;
  // The keys that did not fit into 16 MB, in the form of a request that asks for them again.
  std::vector<std::pair<std::string, KeysAndAttributes>> unprocessed;
  std::vector<ConsumedCapacity> consumed_capacity;
};

Result<BatchGetItemResponse> BatchGetItem(engine::Engine& engine,
                                          const BatchGetItemRequest& request);

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
  // UnprocessedItems is always empty: all writes of an accepted batch are made.
  std::vector<ConsumedCapacity> consumed_capacity;
  std::vector<ItemCollectionMetrics> item_collection_metrics;
};

void BatchWriteItem(engine::Engine& engine, BatchWriteItemRequest request,
                    Done<BatchWriteItemResponse> done);

}  // namespace monotable::operations

#pragma once

#include "engine/engine.h"
#include "operations/parameters.h"

// Reads and writes of one item.
namespace monotable::operations {

struct GetItemRequest {
  std::string table_name;
  item::Item key;
  bool consistent_read = false;
  std::optional<std::string> projection_expression;
  ExpressionAttributes attributes;
  std::optional<std::vector<std::string>> attributes_to_get;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
};

struct GetItemResponse {
  std::optional<encoding::EncodedItem> item;
  std::optional<ConsumedCapacity> consumed_capacity;
};

Result<GetItemResponse> GetItem(engine::Engine& engine, const GetItemRequest& request);

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

struct UpdateItemRequest : SingleWriteRequest {
  item::Item key;
  std::optional<std::string> update_expression;
  std::optional<expression::LegacyUpdates> attribute_updates;
};

void UpdateItem(engine::Engine& engine, UpdateItemRequest request, Done<WriteItemResponse> done);

struct DeleteItemRequest : SingleWriteRequest {
  item::Item key;
};

void DeleteItem(engine::Engine& engine, DeleteItemRequest request, Done<WriteItemResponse> done);

}  // namespace monotable::operations

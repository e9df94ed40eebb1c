#pragma once

#include "engine/engine.h"
#include "operations/parameters.h"

namespace monotable::operations {

struct TransactGet {
  std::string table_name;
  item::Item key;
  std::optional<std::string> projection_expression;
  ExpressionAttributes attributes;
};

struct TransactGetItemsRequest {
  std::vector<TransactGet> gets;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
};

struct TransactGetItemsResponse {
  std::vector<std::optional<encoding::EncodedItem>> items;  // in the order of the gets
  std::vector<ConsumedCapacity> consumed_capacity;
};

Result<TransactGetItemsResponse> TransactGetItems(engine::Engine& engine,
                                                  const TransactGetItemsRequest& request);

enum class TransactAction { kConditionCheck, kPut, kDelete, kUpdate };

struct TransactWrite {
  TransactAction action = TransactAction::kPut;
  std::string table_name;
  item::Item item;  // of a put; the key of the others
  std::optional<std::string> update_expression;
  std::optional<std::string> condition_expression;
  ExpressionAttributes attributes;
  bool return_old_on_condition_failure = false;
};

struct TransactWriteItemsRequest {
  std::vector<TransactWrite> writes;
  std::optional<std::string> client_request_token;
  // A digest of everything but the token, for telling a retry from another request.
  std::string fingerprint;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
  bool return_item_collection_metrics = false;
};

struct TransactWriteItemsResponse {
  std::vector<ConsumedCapacity> consumed_capacity;
  std::vector<ItemCollectionMetrics> item_collection_metrics;
};

void TransactWriteItems(engine::Engine& engine, TransactWriteItemsRequest request,
                        Done<TransactWriteItemsResponse> done);

}  // namespace monotable::operations

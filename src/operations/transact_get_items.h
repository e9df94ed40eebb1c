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

}  // namespace monotable::operations

#pragma once

#include "engine/engine.h"
#include "operations/parameters.h"

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

}  // namespace monotable::operations

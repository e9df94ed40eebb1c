#pragma once

#include "engine/engine.h"
#include "operations/parameters.h"

namespace monotable::operations {

struct PutItemRequest {
  std::string table_name;
  item::Item item;
  std::optional<std::string> condition_expression;
  ExpressionAttributes attributes;
  std::optional<expression::LegacyExpectations> expected;
  std::optional<expression::ConditionalOperator> conditional_operator;
  ReturnValues return_values = ReturnValues::kNone;
  bool return_old_on_condition_failure = false;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
  bool return_item_collection_metrics = false;
};

// The answer of PutItem, UpdateItem and DeleteItem.
struct WriteItemResponse {
  std::optional<encoding::EncodedItem> attributes;
  std::optional<ConsumedCapacity> consumed_capacity;
  std::optional<ItemCollectionMetrics> item_collection_metrics;
};

void PutItem(engine::Engine& engine, PutItemRequest request, Done<WriteItemResponse> done);

}  // namespace monotable::operations

#pragma once

#include "operations/put_item.h"

namespace monotable::operations {

struct UpdateItemRequest {
  std::string table_name;
  item::Item key;
  std::optional<std::string> update_expression;
  std::optional<std::string> condition_expression;
  ExpressionAttributes attributes;
  std::optional<expression::LegacyUpdates> attribute_updates;
  std::optional<expression::LegacyExpectations> expected;
  std::optional<expression::ConditionalOperator> conditional_operator;
  ReturnValues return_values = ReturnValues::kNone;
  bool return_old_on_condition_failure = false;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
  bool return_item_collection_metrics = false;
};

void UpdateItem(engine::Engine& engine, UpdateItemRequest request, Done<WriteItemResponse> done);

}  // namespace monotable::operations

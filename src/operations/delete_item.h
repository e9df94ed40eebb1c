#pragma once

#include "operations/put_item.h"

namespace monotable::operations {

struct DeleteItemRequest {
  std::string table_name;
  item::Item key;
  std::optional<std::string> condition_expression;
  ExpressionAttributes attributes;
  std::optional<expression::LegacyExpectations> expected;
  std::optional<expression::ConditionalOperator> conditional_operator;
  ReturnValues return_values = ReturnValues::kNone;
  bool return_old_on_condition_failure = false;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
  bool return_item_collection_metrics = false;
};

void DeleteItem(engine::Engine& engine, DeleteItemRequest request, Done<WriteItemResponse> done);

}  // namespace monotable::operations

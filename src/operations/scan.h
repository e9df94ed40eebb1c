#pragma once

#include "operations/query.h"

namespace monotable::operations {

struct ScanRequest {
  std::string table_name;
  std::optional<std::string> index_name;
  std::optional<std::string> filter_expression;
  std::optional<expression::LegacyConditions> scan_filter;
  std::optional<expression::ConditionalOperator> conditional_operator;
  std::optional<std::string> projection_expression;
  std::optional<std::vector<std::string>> attributes_to_get;
  ExpressionAttributes attributes;
  std::optional<Select> select;
  std::optional<int64_t> limit;
  std::optional<int64_t> segment;
  std::optional<int64_t> total_segments;
  std::optional<item::Item> exclusive_start_key;
  bool consistent_read = false;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
};

Result<PageResponse> Scan(engine::Engine& engine, const ScanRequest& request);

}  // namespace monotable::operations

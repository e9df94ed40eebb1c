#pragma once

#include "engine/engine.h"
#include "operations/parameters.h"

namespace monotable::operations {

// What Query and Scan have in common.
struct PageParameters {
  std::string table_name;
  std::optional<std::string> index_name;
  std::optional<std::string> filter_expression;
  std::optional<expression::ConditionalOperator> conditional_operator;
  std::optional<std::string> projection_expression;
  std::optional<std::vector<std::string>> attributes_to_get;
  ExpressionAttributes attributes;
  std::optional<Select> select;
  std::optional<int64_t> limit;
  std::optional<item::Item> exclusive_start_key;
  bool consistent_read = false;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
};

struct QueryRequest : PageParameters {
  std::optional<std::string> key_condition_expression;
  std::optional<expression::LegacyConditions> key_conditions;
  std::optional<expression::LegacyConditions> query_filter;
  bool scan_index_forward = true;
};

// The answer of Query and Scan.
struct PageResponse {
  bool with_items = true;  // false with Select COUNT
  std::vector<encoding::EncodedItem> items;
  int64_t count = 0;
  int64_t scanned_count = 0;
  std::optional<encoding::EncodedItem> last_evaluated_key;
  std::optional<ConsumedCapacity> consumed_capacity;
};

Result<PageResponse> Query(engine::Engine& engine, const QueryRequest& request);

struct ScanRequest : PageParameters {
  std::optional<expression::LegacyConditions> scan_filter;
  std::optional<int64_t> segment;
  std::optional<int64_t> total_segments;
};

Result<PageResponse> Scan(engine::Engine& engine, const ScanRequest& request);

}  // namespace monotable::operations

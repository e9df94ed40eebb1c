#include "operations/scan.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "encoding/keyspace.h"
#include "engine/read.h"
#include "operations/paged_read.h"
#include "operations/selection.h"

namespace monotable::operations {
namespace {

Status CheckExpressions(const ScanRequest& request,
                        const expression::Substitutions& substitutions) {
  const std::array<expression::ExpressionParameter, 2> expressions = {{
      {.name = "ProjectionExpression",
       .present = request.projection_expression.has_value(),
       .takes_values = false},
      {.name = "FilterExpression", .present = request.filter_expression.has_value()},
  }};
  return substitutions.Check(expressions);
}

Status CheckSegments(const ScanRequest& request) {
  if (request.segment && !request.total_segments) {
    return Error::Validation(
        "The TotalSegments parameter is required but was not present in the request when Segment "
        "parameter is present");
  }
  if (request.total_segments && !request.segment) {
    return Error::Validation(
        "The Segment parameter is required but was not present in the request when parameter "
        "TotalSegments is present");
  }
  if (request.segment && *request.segment >= *request.total_segments) {
    return Error::Validation(fmt::format(
        "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
        "Segment: {} is not less than TotalSegments: {}",
        *request.segment, *request.total_segments));
  }
  return {};
}

// The keys to read: all of the table or index, or one of the equal shares of the partition hashes
// into which a parallel scan divides it.
storage::Range RangeToScan(const ScanRequest& request, const ReadTarget& target) {
  const auto segment = static_cast<uint32_t>(request.segment.value_or(0));
  const auto total = static_cast<uint32_t>(request.total_segments.value_or(1));
  return encoding::SegmentRange(target.table->id, target.index_id(), segment, total);
}

Status StartAfterKey(const ScanRequest& request, const ReadTarget& target, storage::Range* range) {
  const auto key = StoredStartKey(target, *request.exclusive_start_key);
  if (!key) {
    return Error::Validation(
        fmt::format("The provided starting key is invalid: {}", key.error().message()));
  }
  if (*key < range->begin || *key >= range->end) {
    return Error::Validation(
        fmt::format("The provided starting key is invalid: Invalid ExclusiveStartKey. Please use "
                    "ExclusiveStartKey with correct Segment. TotalSegments: {} Segment: {}",
                    request.total_segments.value_or(1), request.segment.value_or(0)));
  }
  engine::StartAfter(*key, storage::Direction::kForward, range);
  return {};
}

}  // namespace

Result<PageResponse> Scan(engine::Engine& engine, const ScanRequest& request) {
  expression::Substitutions substitutions(request.attributes.names, request.attributes.values);
  TRY(CheckExpressions(request, substitutions));
  TRY(CheckSegments(request));
  TRY_ASSIGN(const Selection selection,
             ParseSelection({.select = request.select,
                             .names_index = request.index_name.has_value(),
                             .projection_expression = request.projection_expression,
                             .attributes_to_get = request.attributes_to_get,
                             .filter_expression = request.filter_expression,
                             .legacy_filter = request.scan_filter,
                             .conditional_operator = request.conditional_operator},
                            substitutions));
  TRY(substitutions.CheckAllUsed());
  TRY_ASSIGN(const ReadTarget target, FindReadTarget(engine, request.table_name, request.index_name,
                                                     request.consistent_read));
  PagedRead read = {.range = RangeToScan(request, target),
                    .limit = request.limit,
                    .consistent_read = request.consistent_read,
                    .return_consumed_capacity = request.return_consumed_capacity};
  TRY(CheckSelection(*target.table, selection));
  TRY_ASSIGN(read.needs_table_items, NeedsTableItems(*target.table, target.index, selection));
  if (request.exclusive_start_key) {
    TRY(StartAfterKey(request, target, &read.range));
  }
  return Answer(engine, request.table_name, target, selection, std::move(read));
}

}  // namespace monotable::operations

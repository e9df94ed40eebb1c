#include "operations/query.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "engine/read.h"
#include "expression/key_condition.h"
#include "expression/legacy.h"
#include "operations/paged_read.h"
#include "operations/selection.h"

namespace monotable::operations {
namespace {

// What can be checked before anything is parsed.
Status CheckParameters(const QueryRequest& request,
                       const expression::Substitutions& substitutions) {
  const std::array<expression::ExpressionParameter, 3> expressions = {{
      {.name = "ProjectionExpression",
       .present = request.projection_expression.has_value(),
       .takes_values = false},
      {.name = "FilterExpression", .present = request.filter_expression.has_value()},
      {.name = "KeyConditionExpression", .present = request.key_condition_expression.has_value()},
  }};
  TRY(substitutions.Check(expressions));
  if (!request.key_condition_expression && !request.key_conditions) {
    return Error::Validation(
        "Either the KeyConditions or KeyConditionExpression parameter must be specified in the "
        "request.");
  }
  return {};
}

// The key condition as far as it can be understood without the key of the table or index.
Result<expression::BoundKeyCondition> BindKeyCondition(const QueryRequest& request,
                                                       expression::Substitutions& substitutions) {
  if (request.key_condition_expression) {
    return expression::BindKeyCondition(*request.key_condition_expression, substitutions);
  }
  for (const auto& [name, condition] : *request.key_conditions) {
    TRY(expression::CheckArguments(condition.comparison, condition.values));
  }
  return expression::BoundKeyCondition{};
}

Result<expression::KeyCondition> MatchKeyCondition(const engine::Engine& engine,
                                                   const QueryRequest& request,
                                                   const expression::BoundKeyCondition& bound,
                                                   const table::KeySchema& key) {
  const expression::KeyConditionOptions options = {.accept_empty_begins_with =
                                                       engine.options().accept_empty_begins_with};
  if (request.key_conditions) {
    return expression::KeyConditionFromLegacy(*request.key_conditions, key, options);
  }
  return expression::MatchKey(bound.terms, key, options);
}

// Key attributes belong into the key condition; the service refuses to filter on those of the
// table or index that is queried. Attributes of the table's key may filter an index.
Status CheckFilterLeavesKey(const QueryRequest& request, const table::KeySchema& key,
                            const Selection& selection) {
  if (!selection.filter) return {};
  for (const std::string_view name : selection.filter->TopLevelNames()) {
    if (!key.Has(name)) continue;
    return Error::Validation(
        fmt::format("{} can only contain non-primary key attributes: Primary key attribute: {}",
                    request.filter_expression ? "Filter Expression" : "QueryFilter", name));
  }
  return {};
}

// Cuts the range to what follows the ExclusiveStartKey, which need not be the key of an item.
Status StartAfterKey(const ReadTarget& target, const item::Item& start_key,
                     storage::Direction direction, engine::QueryRange* query) {
  const auto key = StoredStartKey(target, start_key);
  if (!key) {
    return Error::Validation("The provided starting key is invalid");
  }
  if (!key->starts_with(query->partition)) {
    return Error::Validation(
        "The provided starting key is outside query boundaries based on provided conditions");
  }
  if (*key < query->range.begin || *key >= query->range.end) {
    return Error::Validation("The provided starting key does not match the range key predicate");
  }
  engine::StartAfter(*key, direction, &query->range);
  return {};
}

}  // namespace

Result<PageResponse> Query(engine::Engine& engine, const QueryRequest& request) {
  expression::Substitutions substitutions(request.attributes.names, request.attributes.values);
  TRY(CheckParameters(request, substitutions));
  TRY_ASSIGN(const Selection selection,
             ParseSelection({.select = request.select,
                             .names_index = request.index_name.has_value(),
                             .projection_expression = request.projection_expression,
                             .attributes_to_get = request.attributes_to_get,
                             .filter_expression = request.filter_expression,
                             .legacy_filter = request.query_filter,
                             .conditional_operator = request.conditional_operator},
                            substitutions));
  TRY_ASSIGN(const auto bound, BindKeyCondition(request, substitutions));
  TRY(substitutions.CheckAllUsed());
  TRY_ASSIGN(const ReadTarget target, FindReadTarget(engine, request.table_name, request.index_name,
                                                     request.consistent_read));
  PagedRead read = {.direction = request.scan_index_forward ? storage::Direction::kForward
                                                            : storage::Direction::kBackward,
                    .limit = request.limit,
                    .consistent_read = request.consistent_read,
                    .return_consumed_capacity = request.return_consumed_capacity};
  TRY(CheckSelection(*target.table, selection));
  TRY_ASSIGN(read.needs_table_items, NeedsTableItems(*target.table, target.index, selection));
  TRY_ASSIGN(const expression::KeyCondition condition,
             MatchKeyCondition(engine, request, bound, target.key()));
  TRY(CheckFilterLeavesKey(request, target.key(), selection));
  engine::QueryRange query = engine::RangeOf(*target.table, target.index, condition);
  if (request.exclusive_start_key) {
    TRY(StartAfterKey(target, *request.exclusive_start_key, read.direction, &query));
  }
  read.range = std::move(query.range);
  return Answer(engine, request.table_name, target, selection, std::move(read));
}

}  // namespace monotable::operations

#include "operations/query_scan.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "encoding/keyspace.h"
#include "engine/capacity.h"
#include "engine/engine.h"
#include "engine/key_check.h"
#include "engine/read.h"
#include "error/result.h"
#include "expression/condition.h"
#include "expression/key_condition.h"
#include "expression/legacy.h"
#include "expression/projection.h"
#include "expression/substitutions.h"
#include "item/value.h"
#include "operations/parameters.h"
#include "operations/reads.h"
#include "storage/store.h"
#include "table/definition.h"

namespace monotable::operations {
namespace {

// The parameters that say which of the entries a Query or Scan keeps and which of their attributes
// it answers, parsed.
struct Selection {
  std::optional<expression::BoundCondition> filter;
  std::optional<expression::BoundProjection> projection;
  bool all_attributes = false;  // also those that an index does not project
  bool count_only = false;
};

std::string_view SelectName(Select select) {
  switch (select) {
    case Select::kAllAttributes:
      return "ALL_ATTRIBUTES";
    case Select::kAllProjectedAttributes:
      return "ALL_PROJECTED_ATTRIBUTES";
    case Select::kSpecificAttributes:
      return "SPECIFIC_ATTRIBUTES";
    case Select::kCount:
      break;
  }
  return "only the Count";
}

Status CheckSelect(const PageParameters& parameters) {
  if (!parameters.select) return {};
  const bool lists_attributes =
      parameters.projection_expression.has_value() || parameters.attributes_to_get.has_value();
  if (*parameters.select == Select::kSpecificAttributes) {
    if (lists_attributes) return {};
    return Error::Validation(
        "Must specify the AttributesToGet or ProjectionExpression when choosing to get "
        "SPECIFIC_ATTRIBUTES");
  }
  if (lists_attributes) {
    return Error::Validation(
        fmt::format("Cannot specify the {} when choosing to get {}",
                    parameters.projection_expression ? "ProjectionExpression" : "AttributesToGet",
                    SelectName(*parameters.select)));
  }
  if (*parameters.select == Select::kAllProjectedAttributes && !parameters.index_name) {
    return Error::Validation(
        "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName");
  }
  return {};
}

// The names of attributes that the index does not project.
std::vector<std::string_view> NotProjected(const table::TableDefinition& table,
                                           const table::IndexDefinition& index,
                                           std::vector<std::string_view> names) {
  std::erase_if(names, [&](std::string_view name) { return Projects(table, index, name); });
  return names;
}

Status CheckGlobalIndex(const table::IndexDefinition& index, const Selection& selection,
                        const std::vector<std::string_view>& not_projected) {
  if (selection.all_attributes) {
    return Error::Validation(fmt::format(
        "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported "
        "for global secondary index {} because its projection type is not ALL",
        index.name));
  }
  if (!not_projected.empty()) {
    return Error::Validation(
        fmt::format("One or more parameter values were invalid: Global secondary index {} does not "
                    "project [{}]",
                    index.name, fmt::join(not_projected, ", ")));
  }
  return {};
}

// Checks the parameters and parses what they hold. The selection must not outlive the
// substitutions.
Result<Selection> ParseSelection(const PageParameters& parameters,
                                 const std::optional<expression::LegacyConditions>& legacy_filter,
                                 expression::Substitutions& substitutions) {
  const size_t conditions = legacy_filter ? legacy_filter->size() : 0;
  TRY(expression::CheckConditionalOperator(parameters.conditional_operator, conditions));
  TRY(CheckSelect(parameters));
  Selection selection;
  selection.all_attributes = parameters.select == Select::kAllAttributes;
  selection.count_only = parameters.select == Select::kCount;
  if (parameters.projection_expression) {
    TRY_ASSIGN(selection.projection,
               expression::ParseProjection(*parameters.projection_expression, substitutions));
  } else if (parameters.attributes_to_get) {
    TRY_ASSIGN(selection.projection,
               expression::ProjectionFromAttributesToGet(*parameters.attributes_to_get));
  }
  if (parameters.filter_expression) {
    TRY_ASSIGN(selection.filter,
               expression::ParseCondition(*parameters.filter_expression,
                                          expression::ConditionKind::kFilter, substitutions));
  } else if (conditions > 0) {
    TRY_ASSIGN(selection.filter,
               expression::ConditionFromFilter(*legacy_filter, parameters.conditional_operator));
  }
  return selection;
}

// What of a selection can only be checked against the table.
Status CheckSelection(const table::TableDefinition& table, const Selection& selection) {
  if (selection.projection) {
    TRY(engine::CheckKeyPaths(table, selection.projection->NestedNames()));
  }
  if (selection.filter) TRY(engine::CheckKeyPaths(table, selection.filter->NestedNames()));
  return {};
}

// Whether the selection needs the table's item for every entry of the index (null: the table is
// read anyway). A local index reaches back to its table for attributes that it does not project; a
// global one refuses to answer them.
Result<bool> NeedsTableItems(const table::TableDefinition& table,
                             const table::IndexDefinition* index, const Selection& selection) {
  if (index == nullptr || index->projection.type == table::ProjectionType::kAll) return false;
  std::vector<std::string_view> not_projected;
  if (selection.projection) {
    not_projected = NotProjected(table, *index, selection.projection->TopLevelNames());
  }
  if (index->kind == table::IndexKind::kGlobal) {
    TRY(CheckGlobalIndex(*index, selection, not_projected));
    return false;
  }
  if (selection.all_attributes || !not_projected.empty()) return true;
  return selection.filter &&
         !NotProjected(table, *index, selection.filter->TopLevelNames()).empty();
}

// What a Query or Scan reads: a table, or one of its indexes.
struct ReadTarget {
  engine::TablePtr table;
  const table::IndexDefinition* index = nullptr;  // part of *table

  const table::KeySchema& key() const { return index == nullptr ? table->key : index->key; }
  uint16_t index_id() const { return index == nullptr ? encoding::kTableItems : index->id; }
};

struct PagedRead {
  storage::Range range = {};
  storage::Direction direction = storage::Direction::kForward;
  std::optional<int64_t> limit = {};
  bool needs_table_items = false;  // see NeedsTableItems
  bool consistent_read = false;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
};

Error DoesNotMatchSchema() {
  return Error::Validation("The provided key element does not match the schema");
}

std::optional<ConsumedCapacity> Charge(const std::string& table_name, const ReadTarget& target,
                                       const PagedRead& read, const engine::Page& page) {
  if (read.return_consumed_capacity == ReturnConsumedCapacity::kNone) return std::nullopt;
  // The sizes of the entries are added up before they are rounded; an item fetched from the table
  // is rounded for itself, as if GetItem had read it.
  const double units = engine::ReadUnits(page.bytes, read.consistent_read);
  if (target.index == nullptr) {
    return TableReadCapacity(table_name, units, read.return_consumed_capacity);
  }
  double fetch_units = 0;
  for (const size_t size : page.fetched_bytes) {
    fetch_units += engine::ReadUnits(size, read.consistent_read);
  }
  return IndexReadCapacity(table_name, *target.index, units, fetch_units,
                           read.return_consumed_capacity);
}

// Finds what a request names, and checks that it can be read in this way now.
Result<ReadTarget> FindReadTarget(engine::Engine& engine, const std::string& table_name,
                                  const std::optional<std::string>& index_name,
                                  bool consistent_read) {
  ReadTarget target;
  TRY_ASSIGN(target.table, engine.FindTable(table_name));
  if (!index_name) return target;
  target.index = target.table->FindIndex(*index_name);
  if (target.index == nullptr) {
    return Error::Validation(
        fmt::format("The table does not have the specified index: {}", *index_name));
  }
  if (target.index->kind == table::IndexKind::kLocal) return target;
  if (consistent_read) {
    return Error::Validation("Consistent reads are not supported on global secondary indexes");
  }
  if (target.index->status == table::IndexStatus::kCreating) {
    return Error::Validation(
        fmt::format("Cannot read from backfilling global secondary index: {}", *index_name));
  }
  return target;
}

// The stored key that an ExclusiveStartKey stands for. It must have the attributes of the table's
// key and of the index key, and no others. The message of the error is only the reason: Query and
// Scan word it differently.
Result<std::string> StoredStartKey(const ReadTarget& target, const item::Item& start_key) {
  const table::TableDefinition& table = *target.table;
  if (target.index == nullptr) {
    TRY(engine::CheckKey(table, start_key));
    return encoding::ItemKey(table, start_key);
  }
  for (const item::Attribute& attribute : start_key) {
    if (!table.key.Has(attribute.name) && !target.index->key.Has(attribute.name)) {
      return DoesNotMatchSchema();
    }
  }
  TRY(engine::CheckKey(table, engine::KeyOf(table, start_key)));
  auto key = encoding::IndexKey(table, *target.index, start_key);
  if (!key) return DoesNotMatchSchema();
  return *std::move(key);
}

// Reads the page and charges for it. The table is named in the answer as in the request.
Result<PageResponse> Answer(engine::Engine& engine, const std::string& table_name,
                            const ReadTarget& target, const Selection& selection, PagedRead read) {
  const engine::PageRequest request = {
      .table = *target.table,
      .index = target.index,
      .range = std::move(read.range),
      .direction = read.direction,
      .limit = read.limit,
      .filter = selection.filter ? &*selection.filter : nullptr,
      .projection = selection.projection ? &*selection.projection : nullptr,
      .keep_items = !selection.count_only,
      .fetch_from_table = read.needs_table_items,
      .keep_fetched = selection.all_attributes,
  };
  std::unique_ptr<storage::Reader> snapshot;
  if (read.needs_table_items) snapshot = engine.store().Snapshot();
  TRY_ASSIGN(engine::Page page,
             engine::ReadPage(snapshot ? *snapshot : engine.store().Latest(), request));

  PageResponse response;
  response.with_items = !selection.count_only;
  response.count = page.count;
  response.scanned_count = page.scanned_count;
  response.consumed_capacity = Charge(table_name, target, read, page);
  response.items = std::move(page.items);
  response.last_evaluated_key = std::move(page.last_evaluated_key);
  return response;
}

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
             ParseSelection(request, request.query_filter, substitutions));
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
             ParseSelection(request, request.scan_filter, substitutions));
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

#include "operations/writes.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/capacity.h"
#include "engine/key_check.h"
#include "expression/legacy.h"
#include "item/value.h"

namespace monotable::operations {
namespace {

// An item collection of a table with local indexes holds at most 10 GB.
constexpr int64_t kMaxCollectionBytes = 10LL * 1024 * 1024 * 1024;

Status CheckCollectionSize(engine::Engine& engine, const engine::ItemWrite& write) {
  if (!write.table->HasLocalIndex() || write.action == engine::WriteAction::kDelete) return {};
  if (engine.Counter(engine::CollectionKey(*write.table, write.key)) < kMaxCollectionBytes) {
    return {};
  }
  return Error(ErrorCode::kItemCollectionSizeLimitExceeded,
               "Collection size exceeded. The total size of an item collection cannot be larger "
               "than 10 GB");
}

Status CheckConditionPaths(const engine::ItemWrite& write) {
  return write.condition ? engine::CheckKeyPaths(*write.table, write.condition->NestedNames())
                         : Status();
}

// An update may not name an attribute of the table's key.
Status CheckUpdateLeavesKey(const engine::ItemWrite& write) {
  if (!write.update) return {};
  for (const std::string_view name : write.update->TopLevelNames()) {
    if (write.table->key.Has(name)) {
      return Error::Validation(fmt::format(
          "One or more parameter values were invalid: Cannot update attribute {}. This attribute "
          "is part of the key",
          name));
    }
  }
  return {};
}

}  // namespace

WriteExpressions ExpressionsOf(SingleWriteRequest& request) {
  WriteExpressions expressions;
  expressions.condition_expression = std::move(request.condition_expression);
  expressions.attributes = std::move(request.attributes);
  expressions.expected = std::move(request.expected);
  expressions.conditional_operator = request.conditional_operator;
  return expressions;
}

Status BindExpressions(WriteExpressions expressions, engine::ItemWrite* write) {
  write->substitutions = expression::Substitutions(std::move(expressions.attributes.names),
                                                   std::move(expressions.attributes.values));
  const expression::ExpressionParameter parameters[] = {
      {"UpdateExpression", expressions.update_expression.has_value(), true},
      {"ConditionExpression", expressions.condition_expression.has_value(), true},
  };
  const std::span<const expression::ExpressionParameter> all(parameters);
  TRY(write->substitutions.Check(expressions.takes_update ? all : all.subspan(1)));
  TRY(expression::CheckConditionalOperator(
      expressions.conditional_operator, expressions.expected ? expressions.expected->size() : 0));
  if (expressions.update_expression) {
    TRY_ASSIGN(write->update,
               expression::ParseUpdate(*expressions.update_expression, write->substitutions));
  } else if (expressions.attribute_updates) {
    TRY_ASSIGN(write->update,
               expression::UpdateFromLegacy(std::move(*expressions.attribute_updates)));
  }
  if (expressions.condition_expression) {
    TRY_ASSIGN(write->condition, expression::ParseCondition(*expressions.condition_expression,
                                                            expression::ConditionKind::kCondition,
                                                            write->substitutions));
  } else if (expressions.expected) {
    TRY_ASSIGN(write->condition,
               expression::ConditionFromExpected(std::move(*expressions.expected),
                                                 expressions.conditional_operator));
  }
  return write->substitutions.CheckAllUsed();
}

Status PreparePut(engine::Engine& engine, const std::string& table_name, const item::Item& item,
                  engine::ItemWrite* write) {
  write->action = engine::WriteAction::kPut;
  write->table_name = table_name;
  TRY_ASSIGN(write->table, engine.FindTable(table_name));
  TRY(CheckConditionPaths(*write));
  TRY(engine::CheckItem(*write->table, item));
  write->key = engine::KeyOf(*write->table, item);
  write->put = encoding::EncodeItem(item);
  return CheckCollectionSize(engine, *write);
}

Status PrepareKeyed(engine::Engine& engine, const std::string& table_name, item::Item key,
                    engine::ItemWrite* write) {
  write->table_name = table_name;
  TRY_ASSIGN(write->table, engine.FindTable(table_name));
  TRY(CheckConditionPaths(*write));
  TRY(engine::CheckKey(*write->table, key));
  write->key = std::move(key);
  TRY(CheckUpdateLeavesKey(*write));
  return CheckCollectionSize(engine, *write);
}

Status CheckItemSize(const item::Item& item) {
  if (item::SizeOf(item) > item::kMaxItemBytes) {
    return Error::Validation("Item size has exceeded the maximum allowed size");
  }
  return {};
}

namespace {

// The item as an UPDATED_OLD or UPDATED_NEW answer shows it: only the updated paths.
Result<std::optional<encoding::EncodedItem>> UpdatedPart(
    const expression::BoundUpdate& update, const std::optional<encoding::EncodedItem>& image) {
  if (!image) return std::optional<encoding::EncodedItem>();
  TRY_ASSIGN(const item::Item item,
             encoding::DecodeAttributes(image->bytes, update.MentionedNames()));
  const item::Item part = update.ProjectUpdated(item);
  if (part.empty()) return std::optional<encoding::EncodedItem>();
  return std::optional(encoding::EncodeItem(part));
}

Result<std::optional<encoding::EncodedItem>> ReturnedAttributes(
    ReturnValues wanted, const std::optional<expression::BoundUpdate>& update,
    engine::ItemOutcome& outcome) {
  switch (wanted) {
    case ReturnValues::kNone:
      return std::optional<encoding::EncodedItem>();
    case ReturnValues::kAllOld:
      return std::move(outcome.old_item);
    case ReturnValues::kAllNew:
      return std::move(outcome.new_item);
    case ReturnValues::kUpdatedOld:
      if (update) return UpdatedPart(*update, outcome.old_item);
      return std::optional<encoding::EncodedItem>();
    case ReturnValues::kUpdatedNew:
      if (update) return UpdatedPart(*update, outcome.new_item);
      return std::optional<encoding::EncodedItem>();
  }
  return std::optional<encoding::EncodedItem>();
}

// The outcome has the old item if the request wanted to see it.
Error FailureOf(engine::ItemOutcome& outcome) {
  if (!outcome.old_item) return std::move(*outcome.error);
  return Error(outcome.error->code(), outcome.error->message(),
               std::make_shared<ConditionFailureDetail>(std::move(*outcome.old_item)));
}

// Adds what one item write cost to the entry of its table.
void AddWriteCost(const engine::ItemOutcome& outcome, bool transactional,
                  ConsumedCapacity* capacity) {
  const auto add = [](CapacityUnits* units, double written) {
    units->total += written;
    units->write += written;
  };
  // The factor of two for transactions applies to the table, not to its indexes.
  const double table_units = transactional ? engine::TransactionalWriteUnits(outcome.charged_bytes)
                                           : engine::WriteUnits(outcome.charged_bytes);
  add(&capacity->table, table_units);
  add(&capacity->total, table_units);
  for (const engine::IndexCost& cost : outcome.index_costs) {
    const table::IndexDefinition& index = outcome.table->indexes[cost.index];
    auto& arms =
        index.kind == table::IndexKind::kLocal ? capacity->local_indexes : capacity->global_indexes;
    add(&arms[index.name], cost.write_units);
    add(&capacity->total, cost.write_units);
  }
}

}  // namespace

std::vector<ConsumedCapacity> WriteCapacity(const engine::WriteRequest& request,
                                            const std::vector<engine::ItemOutcome>& outcomes,
                                            bool transactional, ReturnConsumedCapacity detail) {
  std::vector<ConsumedCapacity> tables;
  if (detail == ReturnConsumedCapacity::kNone) return tables;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const std::string& name = request.items[i].table_name;
    auto entry = std::find_if(tables.begin(), tables.end(), [&](const ConsumedCapacity& table) {
      return table.table_name == name;
    });
    if (entry == tables.end()) {
      entry = tables.emplace(tables.end());
      entry->table_name = name;
      entry->detail = detail;
      entry->print_split = transactional;
    }
    AddWriteCost(outcomes[i], transactional, &*entry);
  }
  return tables;
}

std::optional<ItemCollectionMetrics> CollectionMetrics(engine::Engine& engine,
                                                       const engine::ItemWrite& write) {
  if (!write.table->HasLocalIndex()) return std::nullopt;
  ItemCollectionMetrics metrics;
  metrics.table_name = write.table_name;
  metrics.hash_name = write.table->key.hash.front().name;
  metrics.hash_value = *write.key.Find(metrics.hash_name);
  const int64_t bytes = engine.Counter(engine::CollectionKey(*write.table, write.key));
  const int64_t whole_gb = bytes / (1024LL * 1024 * 1024);
  metrics.size_gb_lower = static_cast<double>(whole_gb);
  metrics.size_gb_upper = metrics.size_gb_lower + 1;
  return metrics;
}

std::vector<ItemCollectionMetrics> CollectionMetrics(engine::Engine& engine,
                                                     const engine::WriteRequest& request) {
  std::vector<ItemCollectionMetrics> all;
  for (const engine::ItemWrite& write : request.items) {
    auto metrics = CollectionMetrics(engine, write);
    if (!metrics) continue;
    const bool listed = std::any_of(all.begin(), all.end(), [&](const ItemCollectionMetrics& m) {
      return m.table_name == metrics->table_name && m.hash_value == metrics->hash_value;
    });
    if (!listed) all.push_back(std::move(*metrics));
  }
  return all;
}

void SubmitSingle(engine::Engine& engine, engine::ItemWrite write,
                  const SingleWriteRequest& request, Done<WriteItemResponse> done) {
  const ReturnValues wanted = request.return_values;
  const ReturnConsumedCapacity detail = request.return_consumed_capacity;
  const bool with_metrics = request.return_item_collection_metrics;
  write.keep_old = wanted == ReturnValues::kAllOld || wanted == ReturnValues::kUpdatedOld;
  write.keep_new = wanted == ReturnValues::kAllNew || wanted == ReturnValues::kUpdatedNew;
  write.keep_old_on_condition_failure = request.return_old_on_condition_failure;
  engine::WriteRequest single;
  single.items.push_back(std::move(write));
  SubmitAndRespond(engine, std::move(single), std::move(done),
                   [&engine, wanted, detail, with_metrics](
                       const engine::WriteRequest& submitted,
                       engine::WriteOutcome& result) -> Result<WriteItemResponse> {
                     engine::ItemOutcome& outcome = result.items.front();
                     const engine::ItemWrite& written = submitted.items.front();
                     if (outcome.error) return FailureOf(outcome);
                     WriteItemResponse response;
                     TRY_ASSIGN(response.attributes,
                                ReturnedAttributes(wanted, written.update, outcome));
                     auto capacity = WriteCapacity(submitted, result.items, false, detail);
                     if (!capacity.empty())
                       response.consumed_capacity = std::move(capacity.front());
                     if (with_metrics)
                       response.item_collection_metrics = CollectionMetrics(engine, written);
                     return response;
                   });
}

}  // namespace monotable::operations

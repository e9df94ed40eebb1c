#include "operations/write_answer.h"

#include <algorithm>
#include <utility>

#include "engine/capacity.h"

namespace monotable::operations {
namespace {

// The item as an UPDATED_OLD or UPDATED_NEW answer shows it: only the updated paths.
Result<std::optional<encoding::EncodedItem>> UpdatedPart(
    const expression::BoundUpdate& update, const std::optional<encoding::EncodedItem>& image) {
  if (!image) return std::optional<encoding::EncodedItem>();
  TRY_ASSIGN(const item::Item item, encoding::DecodeItem(image->bytes));
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

}  // namespace

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
  metrics.size_gb_lower = static_cast<double>(bytes / (1024LL * 1024 * 1024));
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
  engine::SubmitWrite(
      engine, std::move(single),
      [&engine, wanted, detail, with_metrics, done = std::move(done)](
          const engine::WriteRequest& submitted, Result<engine::WriteOutcome> result) {
        if (!result) return done(std::move(result).error());
        engine::ItemOutcome& outcome = result->items.front();
        const engine::ItemWrite& written = submitted.items.front();
        if (outcome.error) return done(FailureOf(outcome));
        WriteItemResponse response;
        auto attributes = ReturnedAttributes(wanted, written.update, outcome);
        if (!attributes) return done(std::move(attributes).error());
        response.attributes = std::move(*attributes);
        auto capacity = WriteCapacity(submitted, result->items, false, detail);
        if (!capacity.empty()) response.consumed_capacity = std::move(capacity.front());
        if (with_metrics) response.item_collection_metrics = CollectionMetrics(engine, written);
        done(std::move(response));
      });
}

}  // namespace monotable::operations

#include "operations/table_description.h"

#include <algorithm>
#include <utility>

#include "encoding/keyspace.h"

namespace monotable::operations {
namespace {

TableDescription::Figures FiguresOf(const engine::Engine& engine, uint32_t table_id,
                                    uint16_t index_id) {
  TableDescription::Figures figures;
  figures.item_count = engine.Counter(encoding::ItemCountKey(table_id, index_id));
  figures.size_bytes = engine.Counter(encoding::ItemBytesKey(table_id, index_id));
  return figures;
}

// Decreases are counted by the day; the count of an earlier one is over.
std::shared_ptr<const table::TableDefinition> AsOf(
    int64_t now_ms, std::shared_ptr<const table::TableDefinition> definition) {
  constexpr int64_t kDayMs = 24 * 3'600'000;
  if (definition->decreases_today == 0 ||
      definition->throughput_decreased_at_ms / kDayMs == now_ms / kDayMs) {
    return definition;
  }
  auto today = std::make_shared<table::TableDefinition>(*definition);
  today->decreases_today = 0;
  return today;
}

}  // namespace

TableDescription Describe(engine::Engine& engine,
                          std::shared_ptr<const table::TableDefinition> definition,
                          std::string status) {
  TableDescription description;
  description.arn = engine.TableArn(definition->name);
  description.figures = FiguresOf(engine, definition->id, encoding::kTableItems);
  for (const table::IndexDefinition& index : definition->indexes) {
    TableDescription::Figures figures;
    // While an index is filled its counters are behind (engine/backfill.h).
    if (index.status == table::IndexStatus::kCreating) {
      if (status != "CREATING") figures.backfilling = true;
    } else {
      figures = FiguresOf(engine, definition->id, index.id);
    }
    description.index_figures.emplace(index.name, figures);
  }
  description.definition = AsOf(engine.clock().NowMs(), std::move(definition));
  description.status = std::move(status);
  return description;
}

table::Throughput WarmOf(table::BillingMode billing_mode, const table::Throughput& throughput,
                         const std::optional<table::WarmThroughput>& warm) {
  // What an on-demand table or index can take from the start.
  constexpr table::Throughput kOnDemand = {12000, 4000};
  const bool on_demand = billing_mode == table::BillingMode::kPayPerRequest;
  table::Throughput units = on_demand ? kOnDemand : throughput;
  if (!warm) return units;
  units.read_units = std::max(units.read_units, warm->read_units_per_second.value_or(0));
  units.write_units = std::max(units.write_units, warm->write_units_per_second.value_or(0));
  return units;
}

bool IsFillingIndex(const table::TableDefinition& table) {
  return std::any_of(table.indexes.begin(), table.indexes.end(),
                     [](const table::IndexDefinition& index) {
                       return index.status == table::IndexStatus::kCreating;
                     });
}

}  // namespace monotable::operations

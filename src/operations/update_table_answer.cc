#include "operations/update_table_answer.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "operations/table_settings.h"
#include "operations/update_table_request.h"

namespace monotable::operations {
namespace {

using table::BillingMode;
using table::IndexDefinition;
using table::IndexStatus;
using table::KeyAttribute;
using table::TableDefinition;

std::shared_ptr<TableDefinition> DuringChange(const TableDefinition& before,
                                              const TableDefinition& after) {
  auto shown = std::make_shared<TableDefinition>(after);
  const bool switches = before.billing_mode != after.billing_mode;
  if (!switches) shown->throughput = before.throughput;
  if (switches && after.billing_mode == BillingMode::kPayPerRequest) {
    shown->pay_per_request_since_ms.reset();
  }
  shown->warm_throughput = before.warm_throughput;
  shown->sse = before.sse;
  shown->table_class = before.table_class;
  shown->table_class_changed_at_ms = before.table_class_changed_at_ms;
  shown->attributes = before.attributes;
  for (const KeyAttribute& attribute : after.attributes) {
    if (before.FindAttribute(attribute.name) == nullptr) shown->attributes.push_back(attribute);
  }
  for (const IndexDefinition& index : before.indexes) {
    const auto same =
        std::find_if(shown->indexes.begin(), shown->indexes.end(),
                     [&index](const IndexDefinition& other) { return other.id == index.id; });
    if (same == shown->indexes.end()) {
      shown->indexes.push_back(index);
      shown->indexes.back().status = IndexStatus::kDeleting;
      continue;
    }
    if (same->throughput != index.throughput ||
        same->on_demand_throughput != index.on_demand_throughput) {
      same->status = IndexStatus::kUpdating;
    }
    if (!switches) same->throughput = index.throughput;
    same->warm_throughput = index.warm_throughput;
  }
  return shown;
}

// Limits that are taken away are shown as -1 once.
void ShowRemovedLimits(const std::optional<table::OnDemandThroughput>& requested,
                       TableDefinition* shown) {
  if (!HasLimits(requested)) return;
  auto limits = shown->on_demand_throughput.value_or(table::OnDemandThroughput());
  if (requested->max_read_units == -1) limits.max_read_units = -1;
  if (requested->max_write_units == -1) limits.max_write_units = -1;
  shown->on_demand_throughput = limits;
}

// Some changes the service makes without the table leaving its state.
bool ShowsUpdating(const RequestedChanges& changes, const TableDefinition& after) {
  return changes.throughput || changes.billing || changes.stream || changes.table_class ||
         changes.index_created || changes.index_deleted || IsFillingIndex(after);
}

}  // namespace

TableDescription DescribeDuring(engine::Engine& engine, const UpdateTableRequest& request,
                                const TableDefinition& before, const TableDefinition& after) {
  const RequestedChanges changes(request);
  auto shown = DuringChange(before, after);
  ShowRemovedLimits(request.on_demand_throughput, shown.get());
  TableDescription description =
      Describe(engine, std::move(shown), ShowsUpdating(changes, after) ? "UPDATING" : "ACTIVE");
  description.sse_updating = changes.sse;
  description.figures.warming = changes.warm;
  for (auto& [index, figures] : description.index_figures) {
    if (figures.backfilling) figures.backfilling = false;
  }
  return description;
}

}  // namespace monotable::operations

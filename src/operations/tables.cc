#include "operations/tables.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "encoding/keyspace.h"
#include "engine/recovery/table_backups.h"
#include "operations/table_errors.h"
#include "operations/table_schema.h"
#include "operations/table_settings.h"

namespace monotable::operations {
namespace {

TableDescription::Figures FiguresOf(const engine::Engine& engine, uint32_t table_id,
                                    uint16_t index_id) {
  TableDescription::Figures figures;
  figures.item_count = engine.Counter(encoding::ItemCountKey(table_id, index_id));
  figures.size_bytes = engine.Counter(encoding::ItemBytesKey(table_id, index_id));
  return figures;
}

// The definition with decreases_today as of now: decreases are counted by the day.
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

namespace {

using table::BillingMode;
using table::TableDefinition;

Status SetStream(const std::optional<StreamParameter>& stream, TableDefinition* definition) {
  if (!stream) return {};
  if (stream->enabled && !stream->view_type) {
    return InvalidParameter(
        "Table is being created with a stream enabled, UpdateViewType is required");
  }
  if (!stream->enabled && stream->view_type) {
    return InvalidParameter(
        "Table is being created with a stream disabled, UpdateViewType should not be specified");
  }
  if (stream->enabled) StartStream(definition->created_at_ms, *stream->view_type, definition);
  return {};
}

}  // namespace

Result<TableDefinition> BuildDefinition(const engine::Engine& engine,
                                        const CreateTableRequest& request) {
  TableDefinition definition;
  definition.name = engine::Engine::TableNameOf(request.table_name);
  definition.uuid = NewUuid();
  definition.created_at_ms = engine.clock().NowMs();

  definition.billing_mode = request.billing_mode.value_or(BillingMode::kProvisioned);
  TRY(CheckTableThroughput(request.throughput, definition.billing_mode));
  TRY(CheckOnDemand(request.on_demand_throughput, definition.billing_mode, "",
                    Occasion::kCreateTable));
  if (definition.billing_mode == BillingMode::kPayPerRequest) {
    definition.pay_per_request_since_ms = definition.created_at_ms;
  } else {
    definition.throughput = *request.throughput;
  }
  TRY(CheckWarm(request.warm_throughput, definition.billing_mode, definition.throughput, ""));
  if (HasLimits(request.on_demand_throughput)) {
    definition.on_demand_throughput = request.on_demand_throughput;
  }
  if (HasUnits(request.warm_throughput)) definition.warm_throughput = request.warm_throughput;

  TRY_ASSIGN(TableSchema schema, BuildSchema(request, definition.billing_mode));
  definition.attributes = std::move(schema.attributes);
  definition.key = std::move(schema.key);
  definition.indexes = std::move(schema.indexes);
  definition.next_index_id = static_cast<uint16_t>(definition.indexes.size() + 1);

  TRY(SetStream(request.stream, &definition));
  if (request.sse) {
    TRY_ASSIGN(definition.sse, BuildSse(engine, *request.sse));
  }
  definition.table_class = request.table_class;
  definition.deletion_protection = request.deletion_protection.value_or(false);
  if (request.tags) {
    TRY(CheckTags(*request.tags));
    definition.tags = *request.tags;
  }
  return definition;
}

// The table and its indexes are usable at once; the answer says CREATING, as clients expect.
Result<TableDescription> CreateTable(engine::Engine& engine, const CreateTableRequest& request) {
  TRY_ASSIGN(const TableDefinition definition, BuildDefinition(engine, request));
  const auto decide = [&definition](const TableDefinition* current,
                                    uint32_t new_id) -> engine::Catalog::Decision {
    if (current != nullptr) {
      return Error(ErrorCode::kResourceInUse, "Table already exists: " + definition.name);
    }
    TableDefinition created = definition;
    created.id = new_id;
    return std::optional(std::move(created));
  };
  TRY_ASSIGN(const engine::TablePtr created, engine.catalog().Change(definition.name, decide));
  auto shown = std::make_shared<TableDefinition>(*created);
  for (table::IndexDefinition& index : shown->indexes) {
    index.status = table::IndexStatus::kCreating;
  }
  TableDescription description = Describe(engine, std::move(shown), "CREATING");
  description.figures.warming = HasUnits(request.warm_throughput);
  return description;
}

// The catalog shows a change from the moment it is decided, so that writes follow it at once. A
// description must not show a change that a crash could take back, nor be ahead of its counters. So
// DescribeTable makes an empty update, which waits for all updates that were decided before it. If
// the empty update fails, they failed too.
Result<TableDescription> DescribeTable(engine::Engine& engine, const std::string& table_name) {
  const std::string_view name = engine::Engine::TableNameOf(table_name);
  engine::TablePtr table = engine.catalog().Find(name);
  const Status settled =
      storage::UpdateAndWait(engine.store(), {}, [](auto, const auto&, storage::Batch*) {});
  if (!settled) table = engine.catalog().Find(name);
  if (table == nullptr) return TableNotFound(name);
  if (table->status == table::TableStatus::kCreating) {
    return Describe(engine, std::move(table), "CREATING");
  }
  const bool updating = IsFillingIndex(*table);
  return Describe(engine, std::move(table), updating ? "UPDATING" : "ACTIVE");
}

Result<TableDescription> DeleteTable(engine::Engine& engine, const std::string& table_name) {
  const std::string name(engine::Engine::TableNameOf(table_name));
  const engine::TablePtr table = engine.catalog().Find(name);
  if (table == nullptr) return TableNotFound(name);
  const engine::CopyFigures figures = engine::FiguresOf(engine, *table);
  std::optional<engine::Job> backup;
  const auto decide = [&](const table::TableDefinition* current,
                          uint32_t) -> engine::Catalog::Decision {
    backup.reset();
    if (current == nullptr) return TableNotFound(name);
    if (current->status == table::TableStatus::kCreating) return TableBeingCreated(name);
    if (current->deletion_protection) {
      return Error::Validation(
          "Resource cannot be deleted as it is currently protected against deletion. Disable "
          "deletion protection first.");
    }
    if (IsFillingIndex(*current)) {
      return Error(ErrorCode::kResourceInUse,
                   "Attempt to change a resource which is still in use: Cannot delete table while "
                   "indexes are being created, updated, or deleted.");
    }
    if (current->point_in_time_recovery.enabled) {
      backup = engine::DeletedTableBackup(engine, *current, figures);
    }
    return std::optional<table::TableDefinition>();
  };
  const auto also = [&backup](const storage::Commit&, storage::Batch* batch) {
    if (backup) engine::Jobs::Put(*backup, batch);
  };
  TRY_ASSIGN(engine::TablePtr dropped, engine.catalog().Change(name, decide, also));
  TableDescription description = Describe(engine, std::move(dropped), "DELETING");
  description.reduced = true;
  return description;
}

namespace {

constexpr int64_t kTablesPageSize = 100;

}  // namespace

Result<ListTablesResponse> ListTables(engine::Engine& engine, const ListTablesRequest& request) {
  const std::vector<std::string> names = engine.catalog().Names();
  auto first = names.begin();
  // The table to start after need not exist any more.
  if (request.exclusive_start_table_name) {
    first = std::upper_bound(first, names.end(), *request.exclusive_start_table_name);
  }
  const int64_t limit =
      std::clamp<int64_t>(request.limit.value_or(kTablesPageSize), 1, kTablesPageSize);
  const auto last = first + std::min<int64_t>(limit, names.end() - first);
  ListTablesResponse response;
  response.table_names.assign(first, last);
  if (last != names.end()) response.last_evaluated_table_name = response.table_names.back();
  return response;
}

namespace {

using table::TimeToLive;

Status CheckChange(const TimeToLive& current, const UpdateTimeToLiveRequest& request,
                   int64_t now_ms, int64_t interval_ms) {
  if (current.enabled && current.attribute != request.attribute_name) {
    return Error::Validation(
        "TimeToLive is active on a different AttributeName: current AttributeName is " +
        current.attribute);
  }
  if (current.enabled == request.enabled) {
    return Error::Validation(request.enabled ? "TimeToLive is already enabled"
                                             : "TimeToLive is already disabled");
  }
  if (current.changed_at_ms != 0 && now_ms - current.changed_at_ms < interval_ms) {
    return Error::Validation(
        "Time to live has been modified multiple times within a fixed interval");
  }
  return {};
}

}  // namespace

Result<UpdateTimeToLiveResponse> UpdateTimeToLive(engine::Engine& engine,
                                                  const UpdateTimeToLiveRequest& request) {
  const std::string name(engine::Engine::TableNameOf(request.table_name));
  const int64_t now_ms = engine.clock().NowMs();
  uint32_t id = 0;
  const auto decide = [&](const table::TableDefinition* current,
                          uint32_t) -> engine::Catalog::Decision {
    if (current == nullptr) return TableNotFound(name);
    if (current->status == table::TableStatus::kCreating) return TableBeingCreated(name);
    id = current->id;
    TRY(CheckChange(current->time_to_live, request, now_ms,
                    engine.options().ttl_change_interval_ms));
    table::TableDefinition next = *current;
    next.time_to_live = {request.enabled, request.attribute_name, now_ms, false};
    return std::optional(std::move(next));
  };
  // The list of expiries exists while time to live is enabled, and is made anew each time.
  const auto also = [&id](const storage::Commit&, storage::Batch* batch) {
    batch->DeleteRange(encoding::ExpiriesRange(id));
    batch->Delete(encoding::BackfillKey(id, encoding::kTableItems));
  };
  TRY(engine.catalog().Change(name, decide, also));
  engine.housekeeping().Wake();
  return UpdateTimeToLiveResponse{request.enabled, request.attribute_name};
}

Result<DescribeTimeToLiveResponse> DescribeTimeToLive(engine::Engine& engine,
                                                      const std::string& table_name) {
  const std::string_view name = engine::Engine::TableNameOf(table_name);
  const engine::TablePtr table = engine.catalog().Find(name);
  if (table == nullptr) return TableNotFound(name);
  const TimeToLive& time_to_live = table->time_to_live;
  if (!time_to_live.enabled) return DescribeTimeToLiveResponse();
  return DescribeTimeToLiveResponse{true, time_to_live.attribute};
}

// The quotas of a new account of the service; nothing here enforces them.
DescribeLimitsResponse DescribeLimits() {
  return {};
}

}  // namespace monotable::operations

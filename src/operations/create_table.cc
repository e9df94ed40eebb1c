#include <utility>

#include "operations/new_table.h"
#include "operations/table_errors.h"
#include "operations/table_schema.h"
#include "operations/table_settings.h"
#include "operations/tables.h"

namespace monotable::operations {
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

}  // namespace monotable::operations

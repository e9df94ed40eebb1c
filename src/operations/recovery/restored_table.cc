#include "operations/recovery/restored_table.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "operations/table_errors.h"
#include "operations/table_settings.h"

namespace monotable::operations {
namespace {

using table::BillingMode;
using table::IndexDefinition;
using table::IndexKind;
using table::TableDefinition;

bool HasKey(const table::KeySchema& key, const std::vector<KeySchemaElement>& elements) {
  std::vector<std::string> hash;
  std::vector<std::string> range;
  for (const KeySchemaElement& element : elements) {
    (element.is_range ? range : hash).push_back(element.attribute_name);
  }
  const auto same = [](const auto& attributes, const auto& names) {
    return std::equal(
        attributes.begin(), attributes.end(), names.begin(), names.end(),
        [](const auto& attribute, const auto& name) { return attribute.name == name; });
  };
  return same(key.hash, hash) && same(key.range, range);
}

bool HasProjection(const table::Projection& projection, const ProjectionParameter& parameter) {
  const auto names = parameter.non_key_attributes.value_or(std::vector<std::string>());
  return projection.type == parameter.type.value_or(table::ProjectionType::kAll) &&
         std::set<std::string>(names.begin(), names.end()) ==
             std::set<std::string>(projection.non_key_attributes.begin(),
                                   projection.non_key_attributes.end());
}

// Indexes can be left out of a restore, but not changed. Leaves those that are named.
Status KeepIndexes(IndexKind kind, const std::optional<std::vector<IndexParameter>>& wanted,
                   std::vector<IndexDefinition>* indexes) {
  if (!wanted) return {};
  std::set<std::string> kept;
  for (const IndexParameter& parameter : *wanted) {
    const auto found =
        std::find_if(indexes->begin(), indexes->end(), [&](const IndexDefinition& index) {
          return index.kind == kind && index.name == parameter.index_name;
        });
    if (found == indexes->end() || !HasKey(found->key, parameter.key_schema) ||
        !HasProjection(found->projection, parameter.projection)) {
      return InvalidParameter(
          fmt::format("Index override must match an index of the source table. Index name: {}",
                      parameter.index_name));
    }
    if (parameter.throughput) found->throughput = *parameter.throughput;
    if (parameter.on_demand_throughput) {
      found->on_demand_throughput = parameter.on_demand_throughput;
    }
    kept.insert(parameter.index_name);
  }
  std::erase_if(*indexes, [&](const IndexDefinition& index) {
    return index.kind == kind && !kept.contains(index.name);
  });
  return {};
}

// Attributes are defined for the sake of keys.
void DropUnusedAttributes(TableDefinition* table) {
  std::erase_if(table->attributes, [table](const table::KeyAttribute& attribute) {
    if (table->key.Has(attribute.name)) return false;
    return std::none_of(
        table->indexes.begin(), table->indexes.end(),
        [&attribute](const IndexDefinition& index) { return index.key.Has(attribute.name); });
  });
}

std::optional<table::Throughput> Given(const table::Throughput& throughput) {
  if (throughput == table::Throughput()) return std::nullopt;
  return throughput;
}

Status SetOnDemand(const RestoreOverrides& overrides, TableDefinition* table) {
  if (overrides.throughput) {
    return CheckTableThroughput(overrides.throughput, BillingMode::kPayPerRequest);
  }
  table->throughput = {};
  for (IndexDefinition& index : table->indexes) index.throughput = {};
  if (!table->pay_per_request_since_ms) table->pay_per_request_since_ms = table->created_at_ms;
  return {};
}

// A source that was on demand has no throughput to take over.
Status SetProvisioned(const RestoreOverrides& overrides, TableDefinition* table) {
  if (overrides.throughput) table->throughput = *overrides.throughput;
  TRY(CheckTableThroughput(Given(table->throughput), BillingMode::kProvisioned));
  for (const IndexDefinition& index : table->indexes) {
    if (index.kind != IndexKind::kGlobal) continue;
    IndexParameter parameter;
    parameter.index_name = index.name;
    parameter.throughput = Given(index.throughput);
    TRY(CheckIndexThroughput(parameter, BillingMode::kProvisioned, Occasion::kCreateTable));
  }
  table->pay_per_request_since_ms.reset();
  table->on_demand_throughput.reset();
  for (IndexDefinition& index : table->indexes) index.on_demand_throughput.reset();
  return {};
}

}  // namespace

Result<TableDefinition> RestoredTable(const engine::Engine& engine, const TableDefinition& source,
                                      const std::string& name, const RestoreOverrides& overrides) {
  TableDefinition table;
  table.name = name;
  table.uuid = NewUuid();
  table.created_at_ms = engine.clock().NowMs();
  table.attributes = source.attributes;
  table.key = source.key;
  table.indexes = source.indexes;
  table.next_index_id = source.next_index_id;
  table.billing_mode = overrides.billing_mode.value_or(source.billing_mode);
  table.throughput = source.throughput;
  table.on_demand_throughput = source.on_demand_throughput;
  table.sse = source.sse;
  table.table_class = source.table_class;

  TRY(KeepIndexes(IndexKind::kLocal, overrides.local_indexes, &table.indexes));
  TRY(KeepIndexes(IndexKind::kGlobal, overrides.global_indexes, &table.indexes));
  DropUnusedAttributes(&table);
  TRY(CheckOnDemand(overrides.on_demand_throughput, table.billing_mode, "",
                    Occasion::kCreateTable));
  if (HasLimits(overrides.on_demand_throughput)) {
    table.on_demand_throughput = overrides.on_demand_throughput;
  }
  TRY(table.billing_mode == BillingMode::kPayPerRequest ? SetOnDemand(overrides, &table)
                                                        : SetProvisioned(overrides, &table));
  if (overrides.sse) {
    TRY_ASSIGN(table.sse, BuildSse(engine, *overrides.sse));
  }
  return table;
}

}  // namespace monotable::operations

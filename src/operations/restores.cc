#include "operations/restores.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "engine/change_log.h"
#include "engine/recovery/history.h"
#include "engine/recovery/restore.h"
#include "operations/backups.h"
#include "operations/table_errors.h"
#include "operations/table_settings.h"
#include "time/calendar.h"

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

// Keeps the indexes that the overrides name. A restore can leave indexes out, but cannot change
// them.
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

// Only attributes of keys are defined.
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

// The definition of a table that is restored: the keys, indexes, billing and encryption of its
// source, or the overrides of the request. Tags, streams, time to live, point-in-time recovery and
// deletion protection are not restored, as in the service.
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

}  // namespace

Result<TableDescription> RestoreTableFromBackup(engine::Engine& engine,
                                                const RestoreTableFromBackupRequest& request) {
  // The reader is made first, so that it sees every backup that is found afterwards.
  std::shared_ptr<const storage::Reader> reader = engine.store().Snapshot();
  TRY_ASSIGN(const engine::Backup backup, FindBackup(engine, request.backup_arn));
  if (!backup.available) return BackupInUse();
  const std::string target_name(engine::Engine::TableNameOf(request.target_table_name));
  TRY_ASSIGN(table::TableDefinition target,
             RestoredTable(engine, backup.table, target_name, request.overrides));
  target.restored_from = {request.backup_arn, engine.TableArn(backup.table.name),
                          backup.created_at_ms};
  engine::Restore restore;
  restore.backup_id = backup.id;
  restore.table = backup.table;
  restore.table.id = backup.data_table_id;
  TRY_ASSIGN(engine::TablePtr created, engine::BeginRestore(engine, std::move(target),
                                                            std::move(restore), std::move(reader)));
  return Describe(engine, std::move(created), "CREATING");
}

namespace {

using table::LogMoment;

std::string TimeText(int64_t time_ms) {
  return time::Format(time_ms, time::kIsoMilliseconds);
}

Error InvalidRestoreTime(int64_t earliest_ms, int64_t latest_ms) {
  return Error(ErrorCode::kInvalidRestoreTime,
               fmt::format("An invalid restore time was specified. RestoreDateTime must be between "
                           "EarliestRestorableDateTime ({}) and LatestRestorableDateTime ({}).",
                           TimeText(earliest_ms), TimeText(latest_ms)));
}

// The source can be named by name or by ARN.
Result<std::string> SourceName(const RestoreTableToPointInTimeRequest& request) {
  if (request.source_table_name.has_value() == request.source_table_arn.has_value()) {
    return InvalidParameter("Exactly one of SourceTableName and SourceTableArn must be specified");
  }
  return std::string(engine::Engine::TableNameOf(
      request.source_table_name ? *request.source_table_name : *request.source_table_arn));
}

// The moment to restore includes all commits of the requested time. If that is the present, it
// includes the commits that can be seen already.
Result<LogMoment> MomentOf(const RestoreTableToPointInTimeRequest& request,
                           const TableDefinition& source, const LogMoment& present,
                           int64_t now_ms) {
  if (request.use_latest_restorable_time) return present;
  const int64_t time_ms = *request.restore_time_ms;
  const int64_t latest_ms = std::max(now_ms, present.time_ms);
  const int64_t earliest_ms = engine::EarliestRestorableMs(source, latest_ms);
  if (time_ms < earliest_ms || time_ms > latest_ms) {
    return InvalidRestoreTime(earliest_ms, latest_ms);
  }
  return time_ms < present.time_ms ? engine::EndOf(time_ms) : present;
}

}  // namespace

Result<TableDescription> RestoreTableToPointInTime(
    engine::Engine& engine, const RestoreTableToPointInTimeRequest& request) {
  TRY_ASSIGN(const std::string source_name, SourceName(request));
  if (request.use_latest_restorable_time == request.restore_time_ms.has_value()) {
    return InvalidParameter(
        "Exactly one of RestoreDateTime and UseLatestRestorableTime must be specified");
  }
  TRY_ASSIGN(engine::Present present, engine::SeePresent(engine));
  TRY_ASSIGN(auto source, engine::FindTableIn(*present.reader, source_name));
  if (!source) return SourceTableNotFound(source_name);
  if (!source->point_in_time_recovery.enabled) {
    return Error(ErrorCode::kPointInTimeRecoveryUnavailable,
                 fmt::format("Point in time recovery is not enabled for table '{}'", source_name));
  }
  engine::Restore restore;
  TRY_ASSIGN(restore.moment, MomentOf(request, *source, present.moment, engine.clock().NowMs()));
  const std::string target_name(engine::Engine::TableNameOf(request.target_table_name));
  TRY_ASSIGN(TableDefinition target,
             RestoredTable(engine, *source, target_name, request.overrides));
  target.restored_from = {"", engine.TableArn(source_name), restore.moment.time_ms};
  restore.table = std::move(*source);
  TRY_ASSIGN(engine::TablePtr created,
             engine::BeginRestore(engine, std::move(target), std::move(restore),
                                  std::move(present.reader)));
  return Describe(engine, std::move(created), "CREATING");
}

}  // namespace monotable::operations

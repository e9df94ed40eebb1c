#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "operations/tables.h"

// Restores of tables, from a backup or from their own past. A restore answers as soon as its table
// is in the catalog; a job does the copying. The operations wait for their own commits, so they run
// on a worker.
namespace monotable::operations {

// The settings of a restored table that differ from those of its source.
struct RestoreOverrides {
  std::optional<table::BillingMode> billing_mode;
  std::optional<std::vector<IndexParameter>> local_indexes;
  std::optional<std::vector<IndexParameter>> global_indexes;
  std::optional<table::Throughput> throughput;
  std::optional<table::OnDemandThroughput> on_demand_throughput;
  std::optional<SseParameter> sse;
};

struct RestoreTableFromBackupRequest {
  std::string backup_arn;
  std::string target_table_name;
  RestoreOverrides overrides;
};

struct RestoreTableToPointInTimeRequest {
  std::optional<std::string> source_table_name;
  std::optional<std::string> source_table_arn;
  std::string target_table_name;
  bool use_latest_restorable_time = false;
  std::optional<int64_t> restore_time_ms;
  RestoreOverrides overrides;
};

Result<TableDescription> RestoreTableFromBackup(engine::Engine& engine,
                                                const RestoreTableFromBackupRequest& request);
Result<TableDescription> RestoreTableToPointInTime(engine::Engine& engine,
                                                   const RestoreTableToPointInTimeRequest& request);

}  // namespace monotable::operations

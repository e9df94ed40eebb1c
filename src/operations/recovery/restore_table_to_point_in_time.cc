#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "engine/change_log.h"
#include "engine/recovery/history.h"
#include "engine/recovery/restore.h"
#include "operations/recovery/recovery_errors.h"
#include "operations/recovery/restored_table.h"
#include "operations/table_errors.h"
#include "time/calendar.h"

namespace monotable::operations {
namespace {

using table::LogMoment;
using table::TableDefinition;

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

// All commits of the requested time count, and of the present those that can be seen already.
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

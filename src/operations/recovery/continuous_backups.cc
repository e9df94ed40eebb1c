#include <algorithm>
#include <utility>

#include "engine/change_log.h"
#include "operations/recovery/recovery.h"
#include "operations/recovery/recovery_errors.h"
#include "operations/table_errors.h"

namespace monotable::operations {
namespace {

using table::PointInTimeRecovery;

constexpr int64_t kTrimMarginMs = 60'000;

ContinuousBackupsDescription Describe(const table::TableDefinition& table, int64_t now_ms) {
  const PointInTimeRecovery& recovery = table.point_in_time_recovery;
  if (!recovery.enabled) return {};
  const int64_t earliest_ms = engine::EarliestRestorableMs(table, now_ms);
  return {true, recovery.days, earliest_ms, std::max(earliest_ms, now_ms)};
}

// A longer period does not bring back what has been trimmed under the shorter one, nor what is
// being trimmed right now.
void SetDays(const table::TableDefinition& current, int64_t days, int64_t now_ms,
             PointInTimeRecovery* next) {
  if (current.point_in_time_recovery.enabled && days > next->days) {
    const int64_t kept_since_ms = engine::EarliestRestorableMs(current, now_ms);
    if (kept_since_ms > next->enabled_at_ms) next->enabled_at_ms = kept_since_ms + kTrimMarginMs;
  }
  next->days = days;
}

}  // namespace

Result<ContinuousBackupsDescription> UpdateContinuousBackups(
    engine::Engine& engine, const UpdateContinuousBackupsRequest& request) {
  if (!request.enabled && request.recovery_period_days) {
    return InvalidParameter(
        "RecoveryPeriodInDays can only be specified when PointInTimeRecoveryEnabled is true");
  }
  const std::string name(engine::Engine::TableNameOf(request.table_name));
  const int64_t now_ms = engine.clock().NowMs();
  const auto decide = [&](const table::TableDefinition* current,
                          uint32_t) -> engine::Catalog::Decision {
    if (current == nullptr) return SourceTableNotFound(name);
    if (current->status == table::TableStatus::kCreating) return BackupsBeingEnabled(name);
    table::TableDefinition next = *current;
    if (request.enabled) {
      const int64_t days = request.recovery_period_days.value_or(PointInTimeRecovery().days);
      SetDays(*current, days, now_ms, &next.point_in_time_recovery);
      next.point_in_time_recovery.enabled = true;
    } else {
      next.point_in_time_recovery = {};
    }
    return std::optional(std::move(next));
  };
  TRY_ASSIGN(const engine::TablePtr table, engine.catalog().Change(name, decide));
  return Describe(*table, engine.clock().NowMs());
}

Result<ContinuousBackupsDescription> DescribeContinuousBackups(engine::Engine& engine,
                                                               const std::string& table_name) {
  const std::string_view name = engine::Engine::TableNameOf(table_name);
  const engine::TablePtr table = engine.catalog().Find(name);
  if (table == nullptr) return SourceTableNotFound(name);
  return Describe(*table, engine.clock().NowMs());
}

}  // namespace monotable::operations

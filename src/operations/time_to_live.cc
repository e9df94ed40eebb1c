#include <utility>

#include "encoding/keyspace.h"
#include "engine/housekeeping.h"
#include "operations/table_errors.h"
#include "operations/tables.h"

namespace monotable::operations {
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
  // The list of expiries is kept while time to live is enabled, and made anew each time.
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

}  // namespace monotable::operations

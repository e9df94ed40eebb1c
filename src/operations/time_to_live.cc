#include <utility>

#include "operations/table_errors.h"
#include "operations/tables.h"

namespace monotable::operations {
namespace {

using table::TimeToLive;

Status CheckChange(const TimeToLive& current, const UpdateTimeToLiveRequest& request) {
  if (current.enabled && current.attribute != request.attribute_name) {
    return Error::Validation(
        "TimeToLive is active on a different AttributeName: current AttributeName is " +
        current.attribute);
  }
  if (current.enabled == request.enabled) {
    return Error::Validation(request.enabled ? "TimeToLive is already enabled"
                                             : "TimeToLive is already disabled");
  }
  return {};
}

}  // namespace

Result<UpdateTimeToLiveResponse> UpdateTimeToLive(engine::Engine& engine,
                                                  const UpdateTimeToLiveRequest& request) {
  const std::string name(engine::Engine::TableNameOf(request.table_name));
  const int64_t now_ms = engine.clock().NowMs();
  const auto decide = [&](const table::TableDefinition* current,
                          uint32_t) -> engine::Catalog::Decision {
    if (current == nullptr) return TableNotFound(name);
    TRY(CheckChange(current->time_to_live, request));
    table::TableDefinition next = *current;
    next.time_to_live = {request.enabled, request.attribute_name, now_ms};
    return std::optional(std::move(next));
  };
  TRY(engine.catalog().Change(name, decide));
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

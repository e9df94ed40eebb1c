#include "server/server_administration.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/clock.h"
#include "entities/audit/audit.h"
#include "model/instant.h"

namespace monotable::server {

std::optional<int64_t> ParseTestClock(std::string_view text) {
  if (text == "now") return engine::SystemClock().NowMs();
  const auto instant = model::ParseIso(text);
  // The store keeps times as unsigned numbers since 1970.
  if (!instant || instant->millis < 0) return std::nullopt;
  return instant->millis;
}

// The order matters: housekeeping lists what expires, then expiry deletes it, then the schedules
// back up what is left.
Result<int64_t> ServerAdministration::AdvanceClock(int64_t by_ms) {
  if (clock_ == nullptr) return Error(ErrorCode::kUnknownOperation, "");
  const int64_t now_ms = clock_->Advance(by_ms);
  std::vector<engine::Repeater*> repeaters = {&engine_.housekeeping(), &engine_.expiry()};
  repeaters.insert(repeaters.end(), schedules_.begin(), schedules_.end());
  for (engine::Repeater* repeater : repeaters) {
    repeater->Wake();
    repeater->WaitUntilIdle();
  }
  return now_ms;
}

Result<ServerBackup> ServerAdministration::CreateBackup(bool with_digests) {
  return backups_.TryCreate(with_digests);
}

Result<std::vector<ServerBackup>> ServerAdministration::ListBackups() {
  return backups_.List();
}

Result<api::dynamodb::ModelAuditPage> ServerAdministration::AuditModel(
    const api::dynamodb::ModelAuditRequest& request) {
  const entities::Application* application = nullptr;
  std::vector<const entities::Application*> others;
  std::string names;
  if (models_ != nullptr) {
    for (const auto& model : models_->models()) {
      const std::string& name = model->application->model().name;
      names += (names.empty() ? "" : ", ") + name;
      if (name == request.model) {
        application = model->application.get();
      } else {
        others.push_back(model->application.get());
      }
    }
  }
  if (application == nullptr) {
    return Error::Validation(
        fmt::format("The server serves no model {}. {}", request.model,
                    names.empty() ? "Start it with --model FILE." : "Its models: " + names + "."));
  }
  TRY_ASSIGN(entities::AuditPage found,
             entities::AuditModel(engine_, *application, others,
                                  {request.repair, request.position, request.limit}));
  api::dynamodb::ModelAuditPage page;
  page.items = found.items;
  page.total = found.total;
  page.next = std::move(found.next);
  for (entities::Breach& breach : found.breaches) {
    page.breaches.push_back({std::string(entities::KindName(breach.kind)),
                             std::string(entities::StateName(breach.state)),
                             std::move(breach.table_name), std::move(breach.entity),
                             std::move(breach.key), std::move(breach.attribute),
                             std::move(breach.message), std::move(breach.remedy)});
  }
  return page;
}

}  // namespace monotable::server

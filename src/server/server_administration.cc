#include "server/server_administration.h"

#include "engine/clock.h"
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

}  // namespace monotable::server

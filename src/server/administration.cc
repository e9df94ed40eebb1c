#include "server/administration.h"

#include "engine/clock.h"

namespace monotable::server {

// One after the other: what expires is listed before it is deleted, and backed up last.
Result<int64_t> ServerAdministration::AdvanceClock(int64_t by_ms) {
  if (clock_ == nullptr) return Error(ErrorCode::kUnknownOperation, "");
  const int64_t now_ms = clock_->Advance(by_ms);
  for (engine::Repeater* repeater : {&engine_.housekeeping(), &engine_.expiry()}) {
    repeater->Wake();
    repeater->WaitUntilIdle();
  }
  if (schedule_ != nullptr) {
    schedule_->Wake();
    schedule_->WaitUntilIdle();
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

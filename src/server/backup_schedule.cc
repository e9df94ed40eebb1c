#include "server/backup_schedule.h"

#include <algorithm>

#include "telemetry/log.h"

namespace monotable::server {
namespace {

constexpr std::chrono::seconds kLookInterval(1);
constexpr std::chrono::minutes kPatienceAfterFailure(5);

}  // namespace

BackupSchedule::BackupSchedule(Backups& backups, const engine::Clock& clock,
                               std::chrono::milliseconds every)
    : backups_(backups),
      clock_(clock),
      every_ms_(every.count()),
      repeater_(kLookInterval, [this](const std::stop_token&) {
        Look();
        return true;
      }) {}

// A list that cannot be read is no reason to do without backups.
int64_t BackupSchedule::FirstDue() const {
  const int64_t now_ms = clock_.NowMs();
  int64_t due_ms = now_ms;
  if (const auto backups = backups_.List()) {
    for (const ServerBackup& backup : *backups) {
      // A backup of the future was made before the time of day was set back.
      if (!backup.damaged) due_ms = std::min(backup.time_ms, now_ms) + every_ms_;
    }
  }
  return due_ms;
}

void BackupSchedule::Look() {
  if (!due_ms_) due_ms_ = FirstDue();
  const int64_t now_ms = clock_.NowMs();
  if (now_ms < *due_ms_) return;
  const auto made = backups_.Create(/*with_digests=*/false);
  if (made) {
    due_ms_ = now_ms + every_ms_;
    return;
  }
  const std::chrono::milliseconds patience(
      std::min<int64_t>(every_ms_, std::chrono::milliseconds(kPatienceAfterFailure).count()));
  due_ms_ = now_ms + patience.count();
  telemetry::Log(telemetry::LogLevel::kWarning,
                 "The scheduled backup failed and is tried again in {} seconds: {}",
                 patience.count() / 1000, made.error().message());
}

}  // namespace monotable::server

#pragma once

#include <vector>

#include "api/dynamodb/administration.h"
#include "engine/engine.h"
#include "server/backup_schedule.h"
#include "server/backups.h"
#include "server/test_clock.h"

namespace monotable::server {

// What a server answers about itself. Everything must outlive it.
class ServerAdministration final : public api::dynamodb::Administration {
 public:
  // clock is null where the time is that of the system, schedule where there is none.
  ServerAdministration(engine::Engine& engine, Backups& backups, TestClock* clock,
                       BackupSchedule* schedule)
      : engine_(engine), backups_(backups), clock_(clock), schedule_(schedule) {}

  Result<int64_t> AdvanceClock(int64_t by_ms) override;
  Result<ServerBackup> CreateBackup(bool with_digests) override;
  Result<std::vector<ServerBackup>> ListBackups() override;

 private:
  engine::Engine& engine_;
  Backups& backups_;
  TestClock* const clock_;
  BackupSchedule* const schedule_;
};

}  // namespace monotable::server

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "api/dynamodb/administration.h"
#include "backup/server_backups.h"
#include "backup/server_scrubs.h"
#include "engine/engine.h"
#include "engine/test_clock.h"
#include "entities/runtime.h"

namespace monotable::server {

using backup::BackupOptions;
using backup::Backups;
using backup::BackupSchedule;
using backup::Scrubs;
using backup::ScrubSchedule;
using backup::ServerBackup;
using engine::TestClock;

// The moment at which a test clock starts: 2026-01-30T14:30:00Z, or with milliseconds, or `now`.
std::optional<int64_t> ParseTestClock(std::string_view text);

// The operations of a server that are about the server itself, not about its tables. The engine,
// the backups, the scrubs, the clock, the schedules and the models must outlive it. Thread-safe.
class ServerAdministration final : public api::dynamodb::Administration {
 public:
  // clock is null if the server uses the system's time. The schedules are woken, in their order,
  // when somebody moves the clock. models is null if there are no models.
  ServerAdministration(engine::Engine& engine, Backups& backups, Scrubs& scrubs, TestClock* clock,
                       std::vector<engine::Repeater*> schedules, const entities::Runtime* models)
      : engine_(engine),
        backups_(backups),
        scrubs_(scrubs),
        clock_(clock),
        schedules_(std::move(schedules)),
        models_(models) {}

  Result<int64_t> AdvanceClock(int64_t by_ms) override;
  Result<ServerBackup> CreateBackup(bool with_digests) override;
  Result<std::vector<ServerBackup>> ListBackups() override;
  Result<backup::ServerScrub> Scrub() override { return scrubs_.Run(Scrubs::Start::kBeginning); }
  Result<api::dynamodb::ModelAuditPage> AuditModel(
      const api::dynamodb::ModelAuditRequest& request) override;

 private:
  engine::Engine& engine_;
  Backups& backups_;
  Scrubs& scrubs_;
  TestClock* const clock_;
  const std::vector<engine::Repeater*> schedules_;
  const entities::Runtime* const models_;
};

}  // namespace monotable::server

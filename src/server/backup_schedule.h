#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "engine/clock.h"
#include "server/backups.h"

namespace monotable::server {

// Makes a backup whenever one is due, by the clock of the engine. The first is due when the newest
// that there is has become too old, and at once if there is none. One that fails is a warning, and
// is tried again later. Thread-safe. Backups and clock must outlive it.
class BackupSchedule {
 public:
  BackupSchedule(Backups& backups, const engine::Clock& clock, std::chrono::milliseconds every);

  void Start() { repeater_.Start(); }
  // Has it look at the clock now.
  void Wake() { repeater_.Wake(); }
  // Waits until what is due is done, or has failed.
  void WaitUntilIdle() { repeater_.WaitUntilIdle(); }

 private:
  void Look();
  int64_t FirstDue() const;

  Backups& backups_;
  const engine::Clock& clock_;
  const int64_t every_ms_;
  std::optional<int64_t> due_ms_;  // of the thread
  engine::Repeater repeater_;      // last, so that its thread ends first
};

}  // namespace monotable::server

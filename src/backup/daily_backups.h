#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/clock.h"
#include "engine/engine.h"
#include "engine/recovery/table_backups.h"
#include "error/result.h"

namespace monotable::backup {

// A backup of one table on every day, as a model declares it.
struct DailyBackup {
  std::string table_name;
  int64_t time_of_day_ms = 0;  // UTC
  int keep_days = 0;           // 0: for ever
};

// Makes backups of tables once a day, as CreateBackup would, and deletes the old ones. A backup is
// called after its table and day, so it is made once, also across restarts and by several servers.
// A day on which no server ran at the time is made up for at the next start. Each backup is
// compared with the table as it was, and the log says how it went. A backup that fails is tried
// again later.
//
// Thread-safe. The engine must outlive it.
class DailyBackups {
 public:
  DailyBackups(engine::Engine& engine, std::vector<DailyBackup> wanted);

  void Start() { repeater_.Start(); }
  // What looks at the clock. It is idle when everything that was due is made or has failed.
  engine::Repeater& repeater() { return repeater_; }

 private:
  void Look(const std::stop_token& stop);
  Status MakeIfDue(const DailyBackup& wanted, const std::stop_token& stop);
  Status Make(const std::string& table_name, const std::string& name, const std::stop_token& stop);
  Result<engine::Backup> WaitFor(const engine::Backup& begun, const std::stop_token& stop);
  Status RemoveOld(const DailyBackup& wanted);

  engine::Engine& engine_;
  const std::vector<DailyBackup> wanted_;
  int64_t quiet_until_ms_ = 0;  // after a failure; only the repeater's thread uses it
  engine::Repeater repeater_;   // last, so that its thread ends first
};

}  // namespace monotable::backup

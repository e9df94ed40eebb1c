#include "engine/housekeeping.h"

#include <string_view>

#include "engine/backfill.h"
#include "engine/engine.h"
#include "engine/expiry.h"
#include "engine/recovery/backups.h"
#include "engine/stream_upkeep.h"
#include "engine/trimming.h"
#include "telemetry/log.h"

namespace monotable::engine {

// One kind of work that fails does not keep the others from being done.
bool KeepHouse(Engine& engine, const std::stop_token& stop) {
  bool worked = true;
  const auto check = [&worked](std::string_view what, const Status& status) {
    if (status) return;
    worked = false;
    telemetry::Log(telemetry::LogLevel::kWarning, "{} failed and is tried again: {}", what,
                   status.error().message());
  };
  check("Filling an index", FillIndexes(engine, stop));
  check("Listing the items that expire", FillExpiries(engine, stop));
  check("Trimming idempotency tokens", TrimTokens(engine));
  check("Keeping streams", KeepStreams(engine));
  check("Trimming the change log", TrimChanges(engine, stop));
  check("Removing expired backups", TrimBackups(engine));
  check("Removing old records of jobs", TrimJobs(engine));
  return worked;
}

}  // namespace monotable::engine

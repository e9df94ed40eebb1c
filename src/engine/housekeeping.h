#pragma once

#include <chrono>
#include <stop_token>

#include "engine/clock.h"
#include "engine/engine.h"
#include "error/result.h"

// Background work of the engine that need not be prompt. Every step may be repeated, so a process
// that ends in the middle of one leaves nothing to repair. The functions are thread-safe.
namespace monotable::engine {

// Trimming can wait, because the data has already been kept for minutes or a day.
inline constexpr std::chrono::seconds kHousekeepingInterval(60);

// Fills new indexes and lists of expiries, begins new shards of streams, trims the change log and
// old idempotency tokens. Continues what an earlier process left unfinished. Returns false if some
// of the work failed.
bool KeepHouse(Engine& engine, const std::stop_token& stop);

// Removes idempotency tokens that no transaction can ask for any more, with one range delete.
Status TrimTokens(Engine& engine);

// Removes change-log records that no reader of their table can ask for any more (LogKeptSince).
Status TrimChanges(Engine& engine, const std::stop_token& stop);

// Removes records of finished exports and imports that began more than 90 days ago: until then they
// can be listed, as in the service. Records of backups are removed with the backup, those of
// restores when the table is ready.
Status TrimJobs(Engine& engine);

// How long a shard takes records until another continues it, as in the service.
inline constexpr int64_t kShardLifeMs = 4 * 3'600'000;

// Closes the shards of enabled streams that are old enough and begins the next ones, and forgets
// streams and generations of shards that can no longer be read, including those of dropped tables.
Status KeepStreams(Engine& engine);

}  // namespace monotable::engine

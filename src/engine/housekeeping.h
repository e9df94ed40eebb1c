#pragma once

#include <chrono>
#include <stop_token>

#include "engine/clock.h"
#include "engine/engine.h"
#include "error/result.h"

// Background work of the engine that need not be prompt. Every step may be repeated, so a process
// that ends in the middle of one leaves nothing to repair. The functions are thread-safe.
namespace monotable::engine {

// Trimming can wait: what is due has been kept for minutes or a day already.
inline constexpr std::chrono::seconds kHousekeepingInterval(60);

// Fills new indexes and lists of expiries, goes on to new shards of streams, trims the change log
// and old idempotency tokens. Starts with what an earlier process left unfinished. False if some of
// it failed.
bool KeepHouse(Engine& engine, const std::stop_token& stop);

// The steps that remove what has outlived its use, each with one range delete.
// Idempotency tokens that no transaction can ask for any more.
Status TrimTokens(Engine& engine);

// Change-log records that no reader of their table can ask for any more (LogKeptSince).
Status TrimChanges(Engine& engine, const std::stop_token& stop);

// Records of exports and imports that are over and began 90 days ago: for so long they can be
// listed, as in the service. Backups go when they are deleted, restores when their table is ready.
Status TrimJobs(Engine& engine);

// A shard takes records for so long; then another continues it, as in the service.
inline constexpr int64_t kShardLifeMs = 4 * 3'600'000;

// Closes the shards of enabled streams that are old enough and begins the next ones, and forgets
// streams, and generations of shards, that can no longer be read: those of dropped tables too.
Status KeepStreams(Engine& engine);

}  // namespace monotable::engine

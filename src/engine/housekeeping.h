#pragma once

#include <chrono>
#include <stop_token>

#include "engine/repeater.h"

// Background work of the engine that need not be prompt.
namespace monotable::engine {

class Engine;

// Trimming can wait: what is due has been kept for minutes or a day already.
inline constexpr std::chrono::seconds kHousekeepingInterval(60);

// Fills new indexes and lists of expiries, goes on to new shards of streams, trims the change log
// and old idempotency tokens. Starts with what an earlier process left unfinished. False if some of
// it failed.
bool KeepHouse(Engine& engine, const std::stop_token& stop);

}  // namespace monotable::engine

#pragma once

#include "engine/engine.h"
#include "error/result.h"

namespace monotable::engine {

// A shard takes records for so long; then another continues it, as in the service.
inline constexpr int64_t kShardLifeMs = 4 * 3'600'000;

// Closes the shards of enabled streams that are old enough and begins the next ones, and forgets
// streams, and generations of shards, that can no longer be read: those of dropped tables too.
Status KeepStreams(Engine& engine);

}  // namespace monotable::engine

#pragma once

#include <stop_token>

#include "engine/engine.h"
#include "error/result.h"

// Removes what has outlived its use. A range delete removes it in an instant; doing it again is
// harmless.
namespace monotable::engine {

// Idempotency tokens that no transaction can ask for any more.
Status TrimTokens(Engine& engine);

// Change-log records that no reader of their table can ask for any more (LogKeptSince).
Status TrimChanges(Engine& engine, const std::stop_token& stop);

// Records of exports and imports that are over and began 90 days ago: for so long they can be
// listed, as in the service. Backups go when they are deleted, restores when their table is ready.
Status TrimJobs(Engine& engine);

}  // namespace monotable::engine

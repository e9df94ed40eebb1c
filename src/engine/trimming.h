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

}  // namespace monotable::engine

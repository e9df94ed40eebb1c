#pragma once

#include <stop_token>

#include "engine/engine.h"
#include "error/result.h"

// Removes what has outlived its use. A range delete removes it in an instant; doing it again is
// harmless.
namespace monotable::engine {

// Change-log records can be read for a day, like those of a DynamoDB stream.
inline constexpr int64_t kChangeLifeMs = 24 * 3'600'000;

// Idempotency tokens that no transaction can ask for any more.
Status TrimTokens(Engine& engine);

// Change-log records older than kChangeLifeMs, of every table.
Status TrimChanges(Engine& engine, const std::stop_token& stop);

}  // namespace monotable::engine

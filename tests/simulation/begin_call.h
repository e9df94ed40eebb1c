#pragma once

#include <future>

#include "engine/engine.h"
#include "simulation/call.h"

namespace monotable::simulation {

// Sends a call to the operation that it names. A read is done when the function returns, a write
// when the store has committed it.
std::future<Reply> BeginCall(engine::Engine& engine, const Call& call);

}  // namespace monotable::simulation

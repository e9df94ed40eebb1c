#pragma once

#include <future>

#include "engine/engine.h"
#include "simulation/call.h"

namespace monotable::simulation {

// Sends a call to the operation it names. Reads are done when it returns; writes when the store has
// them.
std::future<Reply> BeginCall(engine::Engine& engine, const Call& call);

}  // namespace monotable::simulation

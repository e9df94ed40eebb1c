#pragma once

#include <stop_token>
#include <string>

#include "engine/engine.h"
#include "engine/jobs.h"
#include "error/result.h"
#include "item/value.h"

namespace monotable::transfer {

// Fills the table of an import and returns its record with what came of it; that it failed is no
// error. The table becomes active, or goes if nothing was imported into it. An error if it was
// asked to stop, or if what came of it cannot be written.
Result<item::Item> DoImport(engine::Engine& engine, const std::string& root, const engine::Job& job,
                            const std::stop_token& stop);

}  // namespace monotable::transfer

#pragma once

#include <stop_token>
#include <string>

#include "engine/engine.h"
#include "engine/jobs.h"
#include "error/result.h"
#include "item/value.h"

namespace monotable::transfer {

// Writes the files of an export and returns its record with what came of it; that it failed is no
// error. An error only if it was asked to stop.
Result<item::Item> DoExport(engine::Engine& engine, const std::string& root, const engine::Job& job,
                            const std::stop_token& stop);

}  // namespace monotable::transfer

#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "error/result.h"

namespace monotable::engine {

// What to write on behalf of a stretch of items, in an update that names them, so that no write
// comes between reading them and this. False if the walk has lost its purpose: its progress is not
// kept then.
using StretchVisitor =
    std::function<bool(std::span<const std::string> keys,
                       std::span<const std::optional<std::string_view>> items, storage::Batch*)>;

// Walks the items of a table in key order, stretch by stretch, from where an earlier walk with the
// same progress key stopped. Ends early, and without an error, when goes_on says no. A stretch may
// be visited twice. Whoever is done deletes the progress key.
Status WalkItems(Engine& engine, uint32_t table_id, const std::string& progress_key,
                 const std::function<bool()>& goes_on, const StretchVisitor& visit);

}  // namespace monotable::engine

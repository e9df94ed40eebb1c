#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "error/result.h"

namespace monotable::engine {

// Writes something for a stretch of items, in an update that names the items, so that no other
// write comes in between. Returns false if the walk has lost its purpose; its progress is then not
// recorded.
using StretchVisitor =
    std::function<bool(std::span<const std::string> keys,
                       std::span<const std::optional<std::string_view>> items, storage::Batch*)>;

// Walks the items of a table in key order, stretch by stretch, from where an earlier walk with the
// same progress key stopped. Ends early, and without an error, when goes_on says no. A stretch may
// be visited twice. The caller deletes the progress key when the walk is done.
Status WalkItems(Engine& engine, uint32_t table_id, const std::string& progress_key,
                 const std::function<bool()>& goes_on, const StretchVisitor& visit);

}  // namespace monotable::engine

#pragma once

#include <span>
#include <string_view>

namespace monotable::cli {

// Serves until a signal ends it. SIGTERM and SIGINT let requests in flight finish; a second one
// ends the process at once. Returns the exit code.
int RunServe(std::span<const std::string_view> arguments);

}  // namespace monotable::cli

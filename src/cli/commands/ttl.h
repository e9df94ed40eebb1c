#pragma once

#include <span>
#include <string_view>

namespace monotable::cli {

// Runs `monotable ttl [TABLE]`: how many items are about to expire and have expired. Returns the
// exit code.
int RunTtl(std::span<const std::string_view> arguments);

}  // namespace monotable::cli

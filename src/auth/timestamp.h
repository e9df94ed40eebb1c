#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace monotable::auth {

// Seconds since the epoch of a signing date: ISO 8601 basic (20261115T064729Z) as in X-Amz-Date, or
// the form of an HTTP Date header (Sun, 15 Nov 2026 06:47:29 GMT). Nullopt if it is neither or no
// such date exists.
std::optional<int64_t> ParseTimestamp(std::string_view text);

// ISO 8601 basic.
std::string FormatTimestamp(int64_t seconds);

}  // namespace monotable::auth

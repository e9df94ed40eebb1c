#pragma once

#include <string_view>

namespace monotable::server {

inline constexpr std::string_view kVersion = MONOTABLE_VERSION;

}  // namespace monotable::server

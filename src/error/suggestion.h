#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace monotable {

// The candidate that somebody who typed this most likely meant; nullopt if none is near.
std::optional<std::string_view> Suggest(std::string_view typed,
                                        std::span<const std::string_view> candidates);

}  // namespace monotable

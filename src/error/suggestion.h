#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace monotable {

// The candidate that a person who typed this text most likely meant; nullopt if no candidate is
// close.
std::optional<std::string_view> Suggest(std::string_view typed,
                                        std::span<const std::string_view> candidates);

}  // namespace monotable

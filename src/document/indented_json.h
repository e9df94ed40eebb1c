#pragma once

#include <string>
#include <string_view>

namespace monotable::document {

// Lays out valid JSON on several lines for people. Whatever fits on one line stays on one line.
std::string Indented(std::string_view json);

}  // namespace monotable::document

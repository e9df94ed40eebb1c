#pragma once

#include <string>
#include <string_view>

namespace monotable::document {

// Valid JSON on several lines, for people: what fits into a line stays in one.
std::string Indented(std::string_view json);

}  // namespace monotable::document

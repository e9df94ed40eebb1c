#pragma once

#include <string>

namespace monotable::cli {

// What `monotable --help`, `monotable serve --help` and `monotable model --help` print.
std::string GeneralHelp();
std::string ServeHelp();
std::string ModelHelp();

}  // namespace monotable::cli

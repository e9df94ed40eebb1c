#pragma once

#include <string>

namespace monotable::cli {

// What `monotable --help` and `monotable serve --help` print.
std::string GeneralHelp();
std::string ServeHelp();

}  // namespace monotable::cli

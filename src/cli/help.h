#pragma once

#include <string>

namespace monotable::cli {

// What `monotable --help` and `monotable COMMAND --help` print.
std::string GeneralHelp();
std::string ServeHelp();
std::string ModelHelp();
std::string BackupHelp();
std::string TtlHelp();

}  // namespace monotable::cli

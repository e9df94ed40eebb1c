#pragma once

#include <span>
#include <string_view>

namespace monotable::cli {

// Runs the command that the arguments (without the name of the program) ask for. Returns the exit
// code: 0, or 1 after one line on standard error; commands about models and backups also have 2,
// see there.
int RunCommand(std::span<const std::string_view> arguments);

}  // namespace monotable::cli

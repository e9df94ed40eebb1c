#pragma once

#include <string>

#include "cli/command_table.h"

// The texts that `monotable` prints about itself, made from the table of commands.
namespace monotable::cli {

// All commands in a few lines: `monotable --help`.
std::string GeneralHelp();

// All commands of a group: `monotable model --help`.
std::string HelpOf(const CommandGroup& group);
std::string ServeHelp();
std::string ModelHelp();
std::string BackupHelp();
std::string TtlHelp();

// One command: `monotable model check --help`.
std::string HelpOf(const Command& command);

// The manual page, in roff, for section 1.
std::string ManualPage();

// A script that completes commands and options in bash.
std::string BashCompletion();

}  // namespace monotable::cli

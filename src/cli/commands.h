#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "cli/command_line.h"

// The commands of `monotable`. Each takes the arguments after its name and returns the exit code.
namespace monotable::cli {

// Runs the command that the first argument names. Returns 0, or 1 after one line on standard error,
// or the exit code of the command.
int RunCommand(std::span<const std::string_view> arguments);

// Serves until a signal arrives. SIGTERM and SIGINT let the requests in flight finish; a second
// signal ends the process at once. Returns 0, or 1 after one line on standard error.
int RunServe(std::span<const std::string_view> arguments);

// `monotable model VERB` and `monotable backup VERB`. They return 0; 1 if something is wrong,
// different or damaged, which they print; 2 after one line on standard error if they could not
// start.
int RunModel(std::span<const std::string_view> arguments);
int RunBackup(std::span<const std::string_view> arguments);

// `monotable ttl [TABLE]`: prints how many items will expire and have expired. Returns 0; 1 if the
// server refuses; 2 if the arguments are wrong.
int RunTtl(std::span<const std::string_view> arguments);

// `monotable repair FOLDER` shows or repairs the damage of a data folder; `monotable scrub` looks
// for it, in a folder or in a running server. They return 0 if there is none or all is repaired, 1
// if there is some, 2 if they could not start.
int RunRepair(std::span<const std::string_view> arguments);
int RunScrub(std::span<const std::string_view> arguments);

// Runs `monotable GROUP VERB …`: prints the help if it is asked for, reads the arguments of the
// verb and hands them over. Returns the exit code, which is 2 if the verb or an argument is wrong.
using VerbRunner = std::function<int(std::string_view verb, const GivenOptions& given)>;
int RunVerb(std::string_view group_name, std::span<const std::string_view> arguments,
            const VerbRunner& run);

}  // namespace monotable::cli

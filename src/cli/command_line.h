#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command_table.h"
#include "error/result.h"
#include "server/config.h"

namespace monotable::cli {

// The arguments of a command, taken apart.
struct GivenOptions {
  bool help = false;
  std::vector<std::string> words;  // the arguments that are not options
  // Names and values in the order of the command line. The value of a switch is "true".
  std::vector<std::pair<std::string_view, std::string>> options;

  bool Has(std::string_view name) const;
  // The last value; empty if the option was not given.
  std::string Value(std::string_view name) const;
};

// Reads --name value, --name=value and switches; after -- everything is a word. An error is one
// line about an option that the command does not have, or whose value is missing.
Result<GivenOptions> ReadArguments(const Command& command,
                                   std::span<const std::string_view> arguments);

// The arguments of `monotable serve`.
struct ServeArguments {
  bool help = false;
  server::ConfigSources sources;  // the config file and the arguments
};

// An error is one line. The values are checked later, by LoadConfig.
Result<ServeArguments> ParseServeArguments(std::span<const std::string_view> arguments);

}  // namespace monotable::cli

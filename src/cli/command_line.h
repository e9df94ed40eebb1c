#pragma once

#include <span>
#include <string>
#include <string_view>

#include "error/result.h"
#include "server/config.h"

namespace monotable::cli {

// What `monotable serve` was given.
struct ServeArguments {
  bool help = false;
  server::ConfigSources sources;  // the config file and the arguments
};

// Reads --name value, --name=value and the switches. Names are checked later, with their values;
// an error here is one line about what is no option at all or lacks its value.
Result<ServeArguments> ParseServeArguments(std::span<const std::string_view> arguments);

}  // namespace monotable::cli

#include "cli/commands.h"

#include <array>
#include <cstdio>

#include <fmt/format.h>

#include "cli/commands/model_commands.h"
#include "cli/help.h"
#include "error/suggestion.h"
#include "server/version.h"

namespace monotable::cli {

int RunCommand(std::span<const std::string_view> arguments) {
  const std::string_view command = arguments.empty() ? "--help" : arguments[0];
  if (command == "serve") return RunServe(arguments.subspan(1));
  if (command == "model") return RunModel(arguments.subspan(1));
  if (command == "backup") return RunBackup(arguments.subspan(1));
  if (command == "ttl") return RunTtl(arguments.subspan(1));
  if (command == "version" || command == "--version") {
    fmt::print("monotable {}\n", server::kVersion);
    return 0;
  }
  if (command == "help" || command == "--help" || command == "-h") {
    fmt::print("{}", GeneralHelp());
    return 0;
  }
  constexpr std::array<std::string_view, 6> kCommands = {"serve", "model",   "backup",
                                                         "ttl",   "version", "help"};
  const auto meant = Suggest(command, kCommands);
  fmt::print(stderr, "monotable: There is no command '{}'. {}\n", command,
             meant ? fmt::format("Did you mean monotable {}?", *meant)
                   : std::string("See monotable --help."));
  return 1;
}

}  // namespace monotable::cli

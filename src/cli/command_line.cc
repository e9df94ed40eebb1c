#include "cli/command_line.h"

#include <optional>

#include <fmt/format.h>

#include "server/settings.h"

namespace monotable::cli {

Result<ServeArguments> ParseServeArguments(std::span<const std::string_view> arguments) {
  ServeArguments parsed;
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string_view argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      parsed.help = true;
      continue;
    }
    if (!argument.starts_with("--") || argument == "--") {
      return Error::Validation(fmt::format(
          "'{}' is no option. Options begin with two dashes; see monotable serve --help.",
          argument));
    }
    argument.remove_prefix(2);
    const size_t equals = argument.find('=');
    const std::string_view name = argument.substr(0, equals);
    const server::Setting* setting = server::FindSetting(name);
    std::optional<std::string_view> value;
    if (equals != std::string_view::npos) {
      value = argument.substr(equals + 1);
    } else if (setting != nullptr && setting->is_switch()) {
      value = "true";
    } else if (setting == nullptr && name != "config") {
      value = "";  // whether a value follows is as unknown as the option, which LoadConfig refuses
    } else if (i + 1 < arguments.size()) {
      value = arguments[++i];
    }
    if (!value) return Error::Validation(fmt::format("Option --{} needs a value.", name));
    if (name == "config") {
      parsed.sources.file = *value;
    } else {
      parsed.sources.arguments.emplace_back(name, *value);
    }
    if (setting == nullptr && name != "config") break;
  }
  return parsed;
}

}  // namespace monotable::cli

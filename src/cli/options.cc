#include "cli/options.h"

#include <optional>

#include <fmt/format.h>

#include "error/suggestion.h"

namespace monotable::cli {
namespace {

Error UnknownOption(std::string_view name, std::span<const Option> options, std::string_view help) {
  std::vector<std::string_view> names = {"help"};
  for (const Option& option : options) names.push_back(option.name);
  const auto meant = Suggest(name, names);
  return Error::Validation(fmt::format(
      "There is no option --{}. {}", name,
      meant ? fmt::format("Did you mean --{}?", *meant) : fmt::format("See {}.", help)));
}

}  // namespace

bool GivenOptions::Has(std::string_view name) const {
  for (const auto& [given, value] : options) {
    if (given == name) return true;
  }
  return false;
}

std::string GivenOptions::Value(std::string_view name) const {
  std::string last;
  for (const auto& [given, value] : options) {
    if (given == name) last = value;
  }
  return last;
}

Result<GivenOptions> ReadOptions(std::span<const Option> options,
                                 std::span<const std::string_view> arguments,
                                 std::string_view help) {
  GivenOptions given;
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string_view argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      given.help = true;
      continue;
    }
    if (!argument.starts_with("--")) {
      given.words.emplace_back(argument);
      continue;
    }
    argument.remove_prefix(2);
    const size_t equals = argument.find('=');
    const std::string_view name = argument.substr(0, equals);
    const Option* option = nullptr;
    for (const Option& each : options) {
      if (each.name == name) option = &each;
    }
    if (option == nullptr) return UnknownOption(name, options, help);
    if (option->is_switch) {
      if (equals != std::string_view::npos) {
        return Error::Validation(fmt::format("Option --{} takes no value.", name));
      }
      given.options.emplace_back(option->name, "");
      continue;
    }
    std::optional<std::string_view> value;
    if (equals != std::string_view::npos) {
      value = argument.substr(equals + 1);
    } else if (i + 1 < arguments.size()) {
      value = arguments[++i];
    }
    if (!value || value->empty()) {
      return Error::Validation(fmt::format("Option --{} needs a value.", name));
    }
    given.options.emplace_back(option->name, *value);
  }
  return given;
}

}  // namespace monotable::cli

#include "cli/command_line.h"

#include <map>

// This is the only file that includes CLI11, whose headers take seconds to compile.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "error/suggestion.h"

namespace monotable::cli {
namespace {

// An option of the command, how CLI11 knows it, and how many of its values have been used.
struct KnownOption {
  const Option* option;
  size_t used = 0;
};
using KnownOptions = std::map<const CLI::Option*, KnownOption>;

KnownOptions AddOptions(const Command& command, CLI::App* app) {
  KnownOptions known;
  for (const Option& option : command.options) {
    const std::string name = fmt::format("--{}", option.name);
    CLI::Option* added = option.is_switch() ? app->add_flag(name) : app->add_option(name);
    if (option.is_switch()) added->disable_flag_override(!command.switches_take_values);
    // By default CLI11 refuses an option that is given twice; here the last one counts, or all do.
    added->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    known.emplace(added, KnownOption{&option});
  }
  return known;
}

std::string_view NameIn(std::string_view argument) {
  return argument.substr(0, argument.find('='));
}

Error UnknownOption(const Command& command, std::string_view argument) {
  const std::string_view given = NameIn(argument);
  std::vector<std::string_view> names = {"help"};
  for (const Option& option : command.options) names.push_back(option.name);
  const auto meant = Suggest(given.substr(given.find_first_not_of('-')), names);
  return Error::Validation(
      fmt::format("There is no option {}. {}", given,
                  meant ? fmt::format("Did you mean --{}?", *meant)
                        : fmt::format("See monotable {} --help.", command.group())));
}

Error NeedsValue(std::string_view argument) {
  return Error::Validation(fmt::format("Option {} needs a value.", NameIn(argument)));
}

// CLI11 says which option is wrong only within a sentence. There are two possible reasons: a switch
// was given a value, or the value of the last option is missing.
Error MismatchOf(const KnownOptions& known, std::span<const std::string_view> arguments) {
  for (const std::string_view argument : arguments) {
    for (const auto& [added, option] : known) {
      const bool is_given = argument.starts_with(fmt::format("--{}=", option.option->name));
      if (!is_given || !option.option->is_switch()) continue;
      return Error::Validation(fmt::format("Option {} takes no value.", NameIn(argument)));
    }
  }
  return NeedsValue(arguments.back());
}

// CLI11 would take the argument after `--name=` for the value.
Status CheckEmptyValues(const Command& command, std::span<const std::string_view> arguments) {
  for (const std::string_view argument : arguments) {
    for (const Option& option : command.options) {
      if (argument == fmt::format("--{}=", option.name)) return NeedsValue(argument);
    }
  }
  return {};
}

// Sorts the arguments that CLI11 does not know into words and mistakes.
Status TakeRemaining(const Command& command, const std::vector<std::string>& remaining,
                     GivenOptions* given) {
  bool only_words = false;
  for (const std::string& argument : remaining) {
    if (!only_words && argument == "--") {
      only_words = true;
    } else if (!only_words && argument.size() > 1 && argument.starts_with('-')) {
      return UnknownOption(command, argument);
    } else {
      given->words.push_back(argument);
    }
  }
  return {};
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

Result<GivenOptions> ReadArguments(const Command& command,
                                   std::span<const std::string_view> arguments) {
  TRY(CheckEmptyValues(command, arguments));
  CLI::App app;
  app.set_help_flag();  // CLI11 would stop there, and a mistake would go unnoticed
  app.allow_extras();
  CLI::Option* help = app.add_flag("-h,--help");
  help->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  KnownOptions known = AddOptions(command, &app);
  try {
    // CLI11 wants the last argument first.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ArgumentMismatch&) {
    return MismatchOf(known, arguments);
  } catch (const CLI::Error& error) {
    return Error::Validation(error.what());
  }
  GivenOptions given;
  given.help = help->count() > 0;
  TRY(TakeRemaining(command, app.remaining(), &given));
  for (const CLI::Option* parsed : app.parse_order()) {
    const auto found = known.find(parsed);
    if (found == known.end()) continue;
    KnownOption& option = found->second;
    given.options.emplace_back(option.option->name, parsed->results()[option.used++]);
  }
  return given;
}

Result<ServeArguments> ParseServeArguments(std::span<const std::string_view> arguments) {
  TRY_ASSIGN(GivenOptions given, ReadArguments(*FindCommand("serve"), arguments));
  if (!given.words.empty()) {
    return Error::Validation(
        fmt::format("'{}' is no option. Options begin with two dashes; see monotable serve --help.",
                    given.words[0]));
  }
  ServeArguments parsed;
  parsed.help = given.help;
  for (auto& [name, value] : given.options) {
    if (name == "config") {
      parsed.sources.file = std::move(value);
    } else {
      parsed.sources.arguments.emplace_back(name, std::move(value));
    }
  }
  return parsed;
}

}  // namespace monotable::cli

#include "cli/commands.h"

#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/help.h"
#include "cli/terminal.h"
#include "error/suggestion.h"
#include "server/version.h"

namespace monotable::cli {
namespace {

using Arguments = std::span<const std::string_view>;

bool AsksForHelp(std::string_view word) {
  return word == "help" || word == "--help" || word == "-h";
}

// One line about a command that does not exist. The prefix is the part that does: empty, or a group
// with a space behind it.
std::string UnknownCommand(std::string_view prefix, std::string_view word,
                           const std::vector<std::string_view>& names) {
  const auto meant = Suggest(word, names);
  return fmt::format("There is no command '{}{}'. {}", prefix, word,
                     meant ? fmt::format("Did you mean monotable {}{}?", prefix, *meant)
                           : fmt::format("See monotable {}--help.", prefix));
}

std::string UnknownGroup(std::string_view name) {
  std::vector<std::string_view> names;
  for (const CommandGroup& group : CommandGroups()) {
    if (!group.is_hidden) names.push_back(group.name);
  }
  return UnknownCommand("", name, names);
}

std::string UnknownVerb(const CommandGroup& group, std::string_view verb) {
  std::vector<std::string_view> names;
  for (const Command* command : CommandsOf(group)) names.push_back(command->verb());
  return UnknownCommand(fmt::format("{} ", group.name), verb, names);
}

// `monotable help`, `monotable help model`, `monotable help model check`.
int RunHelp(Arguments words) {
  if (words.empty() || AsksForHelp(words[0])) {
    fmt::print("{}", GeneralHelp());
    return kFine;
  }
  const CommandGroup* group = FindGroup(words[0]);
  if (group == nullptr) {
    fmt::print(stderr, "monotable: {}\n", UnknownGroup(words[0]));
    return kHasErrors;
  }
  if (words.size() == 1) {
    fmt::print("{}", HelpOf(*group));
    return kFine;
  }
  const Command* command = FindCommand(fmt::format("{} {}", words[0], words[1]));
  if (command == nullptr) return Fail(UnknownVerb(*group, words[1]));
  fmt::print("{}", HelpOf(*command));
  return kFine;
}

// Runs a command that prints a text and takes no options: version, man, completion.
int RunPrinter(std::string_view name, Arguments arguments, std::string_view expected,
               std::string (*print)()) {
  const Command& command = *FindCommand(name);
  const auto given = ReadArguments(command, arguments);
  if (!given) return Fail(given.error().message());
  if (given->help) {
    fmt::print("{}", HelpOf(command));
    return kFine;
  }
  const bool fits = expected.empty() ? given->words.empty()
                                     : given->words.size() == 1 && given->words[0] == expected;
  if (!fits) {
    return Fail(
        fmt::format("Use it as: monotable {}{}{}", name, expected.empty() ? "" : " ", expected));
  }
  fmt::print("{}", print());
  return kFine;
}

std::string VersionLine() {
  return fmt::format("monotable {}\n", server::kVersion);
}

}  // namespace

int RunCommand(Arguments arguments) {
  const std::string_view command = arguments.empty() ? "--help" : arguments[0];
  const Arguments rest = arguments.empty() ? arguments : arguments.subspan(1);
  if (command == "serve") return RunServe(rest);
  if (command == "model") return RunModel(rest);
  if (command == "backup") return RunBackup(rest);
  if (command == "repair") return RunRepair(rest);
  if (command == "scrub") return RunScrub(rest);
  if (command == "ttl") return RunTtl(rest);
  if (command == "version" || command == "--version") {
    return RunPrinter("version", rest, "", VersionLine);
  }
  if (command == "completion") return RunPrinter("completion", rest, "bash", BashCompletion);
  if (command == "man") return RunPrinter("man", rest, "", ManualPage);
  if (AsksForHelp(command)) return RunHelp(rest);
  fmt::print(stderr, "monotable: {}\n", UnknownGroup(command));
  return kHasErrors;
}

int RunVerb(std::string_view group_name, Arguments arguments, const VerbRunner& run) {
  const CommandGroup& group = *FindGroup(group_name);
  const std::string_view verb = arguments.empty() ? "--help" : arguments[0];
  if (AsksForHelp(verb)) {
    fmt::print("{}", HelpOf(group));
    return kFine;
  }
  const Command* command = FindCommand(fmt::format("{} {}", group_name, verb));
  if (command == nullptr) return Fail(UnknownVerb(group, verb));
  const auto given = ReadArguments(*command, arguments.subspan(1));
  if (!given) return Fail(given.error().message());
  if (!given->help) return run(verb, *given);
  fmt::print("{}", HelpOf(*command));
  return kFine;
}

}  // namespace monotable::cli

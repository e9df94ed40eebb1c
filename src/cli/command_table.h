#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

// All commands of `monotable` with their options and texts. The parser of the command line, the
// help, the man page and the shell completion are made from this table.
namespace monotable::cli {

struct Option {
  std::string_view name;   // without its dashes
  std::string_view value;  // what stands for the value in the help; empty: the option is a switch
  std::string help;
  std::string_view section = {};  // the heading above the option in the help; empty: none

  bool is_switch() const { return value.empty(); }
};

struct Command {
  std::string_view name;       // one or two words, as in `model check`
  std::string_view arguments;  // as the help shows them; empty: options only
  std::string_view help;
  std::vector<Option> options;
  // Whether --switch=false is accepted, which turns off a setting of a weaker source.
  bool switches_take_values = false;

  std::string_view group() const { return name.substr(0, name.find(' ')); }
  // The second word; empty if the command has one word.
  std::string_view verb() const;
};

// The commands with the same first word.
struct CommandGroup {
  std::string_view name;
  std::string_view usage;     // `model COMMAND`
  std::string_view summary;   // one sentence for the list of all commands
  std::string_view about;     // what the group is for, if it has several commands
  std::string_view notes;     // what all its commands have in common
  std::string_view examples;  // lines, each indented by two spaces
  bool is_hidden = false;     // not in the list of all commands: it is for packages
};

// In the order of the help. Both live as long as the process.
std::span<const CommandGroup> CommandGroups();
std::span<const Command> Commands();

// The group of a name, or null.
const CommandGroup* FindGroup(std::string_view name);
// The command of a name such as `model check`, or null.
const Command* FindCommand(std::string_view name);
// All commands of a group.
std::vector<const Command*> CommandsOf(const CommandGroup& group);

}  // namespace monotable::cli

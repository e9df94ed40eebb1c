#include "cli/help.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "server/version.h"
#include "text/words.h"

namespace monotable::cli {
namespace {

constexpr size_t kWidth = 80;
constexpr std::string_view kAboutMonotable = "a database server that speaks the DynamoDB protocol";

// Breaks a text into lines of the width of a terminal. The first line begins with the given lead,
// the others are indented.
std::string Wrap(std::string_view text, size_t indent, std::string_view lead = {}) {
  std::string lines;
  std::string line = lead.empty() ? std::string(indent, ' ') : std::string(lead);
  bool is_empty = lead.empty();
  while (!text.empty()) {
    const size_t end = text.find_first_of(" \n");
    const std::string_view word = text.substr(0, end);
    const bool breaks = end != std::string_view::npos && text[end] == '\n';
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!is_empty && line.size() + 1 + word.size() > kWidth) {
      lines += line + '\n';
      line = std::string(indent, ' ');
      is_empty = true;
    }
    if (!is_empty) line += ' ';
    line += word;
    is_empty = false;
    if (!breaks) continue;
    lines += line + '\n';
    line = std::string(indent, ' ');
    is_empty = true;
  }
  return lines + line + '\n';
}

std::string FlagOf(const Option& option) {
  return option.is_switch() ? fmt::format("--{}", option.name)
                            : fmt::format("--{} {}", option.name, option.value);
}

std::string UsageOf(const Command& command) {
  std::string usage = fmt::format("monotable {}", command.name);
  if (!command.arguments.empty()) usage += fmt::format(" {}", command.arguments);
  if (!command.options.empty()) usage += " [options]";
  return usage;
}

// Options with sections have their texts below their names; other options have them beside.
std::string ListOptions(const Command& command, size_t indent) {
  constexpr size_t kTextColumn = 32;
  constexpr size_t kTextIndent = 4;
  std::string text;
  std::string_view section;
  for (const Option& option : command.options) {
    const std::string flag = std::string(indent, ' ') + FlagOf(option);
    if (!option.section.empty()) {
      if (option.section != section) text += fmt::format("\n{}\n", option.section);
      section = option.section;
      text += flag + '\n' + Wrap(option.help, indent + kTextIndent);
    } else {
      text += Wrap(option.help, kTextColumn, fmt::format("{:{}}", flag, kTextColumn - 1));
    }
  }
  return text;
}

std::string NotesAndExamples(const CommandGroup& group) {
  std::string text;
  if (!group.notes.empty()) text += '\n' + Wrap(group.notes, 0);
  if (!group.examples.empty()) text += fmt::format("\nExamples:\n{}", group.examples);
  return text;
}

std::string HelpOfGroupNamed(std::string_view name) {
  return HelpOf(*FindGroup(name));
}

// Escapes a text for roff: dashes that can be copied, and no line that begins like a request.
std::string Roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const bool begins_line = escaped.empty() || escaped.back() == '\n';
    if (begins_line && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '-') {
      escaped += "\\-";
    } else if (c == '\\') {
      escaped += "\\e";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string RoffOptions(const Command& command) {
  std::string text;
  std::string_view section;
  for (const Option& option : command.options) {
    if (!option.section.empty() && option.section != section) {
      text += fmt::format(".SS \"{}\"\n", Roff(option.section));
      section = option.section;
    }
    text += fmt::format(".TP\n\\fB\\-\\-{}\\fR", Roff(option.name));
    if (!option.is_switch()) text += fmt::format(" \\fI{}\\fR", Roff(option.value));
    text += fmt::format("\n{}\n", Roff(option.help));
  }
  return text;
}

// Each line of the notes is a paragraph.
std::string RoffNotes(std::string_view notes) {
  std::string text;
  while (!notes.empty()) {
    const size_t end = notes.find('\n');
    text += fmt::format(".PP\n{}\n", Roff(notes.substr(0, end)));
    notes.remove_prefix(end == std::string_view::npos ? notes.size() : end + 1);
  }
  return text;
}

std::string RoffCommand(const Command& command) {
  return fmt::format(".SS \"{}\"\n{}\n{}", Roff(UsageOf(command)), Roff(command.help),
                     RoffOptions(command));
}

// The arguments of compgen for the value of an option; empty if the value is any text.
std::string CompletionOf(std::string_view value) {
  if (value == "FILE") return "-f";
  if (value == "FOLDER") return "-d";
  if (value.find('|') == std::string_view::npos) return "";
  std::string words(value);
  std::replace(words.begin(), words.end(), '|', ' ');
  return fmt::format("-W '{}'", words);
}

// The arms of a case statement for the options whose values can be completed.
std::string ValueArms(const Command& command) {
  std::string arms;
  for (const Option& option : command.options) {
    const std::string completion = CompletionOf(option.value);
    if (completion.empty()) continue;
    arms += fmt::format("    '{} --{}') values=\"{}\" ;;\n", command.name, option.name, completion);
  }
  return arms;
}

}  // namespace

std::string HelpOf(const Command& command) {
  std::string text = Wrap(command.help, 0) + fmt::format("\nUsage: {}\n", UsageOf(command));
  const bool has_sections = !command.options.empty() && !command.options[0].section.empty();
  if (!has_sections && !command.options.empty()) text += "\nOptions:\n";
  return text + ListOptions(command, 2);
}

std::string HelpOf(const CommandGroup& group) {
  const std::vector<const Command*> commands = CommandsOf(group);
  if (commands.size() == 1) return HelpOf(*commands[0]) + NotesAndExamples(group);
  std::string text = Wrap(group.about, 0) + "\nUsage:\n";
  for (const Command* command : commands) {
    if (command != commands[0]) text += '\n';
    text += fmt::format("  {}\n{}{}", UsageOf(*command), Wrap(command->help, 6),
                        ListOptions(*command, 6));
  }
  return text + NotesAndExamples(group);
}

std::string ServeHelp() {
  return HelpOfGroupNamed("serve");
}
std::string ModelHelp() {
  return HelpOfGroupNamed("model");
}
std::string BackupHelp() {
  return HelpOfGroupNamed("backup");
}
std::string TtlHelp() {
  return HelpOfGroupNamed("ttl");
}

std::string GeneralHelp() {
  std::string text =
      fmt::format("Monotable {}: {}.\n\nUsage:\n", server::kVersion, kAboutMonotable);
  constexpr size_t kTextColumn = 32;
  for (const CommandGroup& group : CommandGroups()) {
    if (group.is_hidden) continue;
    text += Wrap(group.summary, kTextColumn,
                 fmt::format("{:{}}", fmt::format("  monotable {}", group.usage), kTextColumn - 1));
  }
  return text + R"(
See monotable COMMAND --help for the options of a command.

Start a server and talk to it, with any credentials on this machine:
  monotable serve --data ./monotable-data
  aws dynamodb list-tables --region us-east-1 --endpoint-url http://127.0.0.1:8000
)";
}

std::string ManualPage() {
  std::string text = fmt::format(
      ".TH MONOTABLE 1 \"\" \"Monotable {}\" \"User Commands\"\n.SH NAME\nmonotable \\- {}\n"
      ".SH SYNOPSIS\n",
      server::kVersion, kAboutMonotable);
  for (const CommandGroup& group : CommandGroups()) {
    if (group.is_hidden) continue;
    text += fmt::format("{}.B monotable {}\n", &group == &CommandGroups()[0] ? "" : ".br\n",
                        Roff(group.usage));
  }
  text += ".SH DESCRIPTION\nMonotable is " + std::string(kAboutMonotable) +
          ". It keeps the data on this machine, and serves models of single\\-table designs as "
          "REST.\n";
  for (const CommandGroup& group : CommandGroups()) {
    if (group.is_hidden) continue;
    text += fmt::format(".SH \"{}\"\n", text::Upper(group.name));
    if (!group.about.empty()) text += Roff(group.about) + '\n';
    for (const Command* command : CommandsOf(group)) text += RoffCommand(*command);
    text += RoffNotes(group.notes);
    if (group.examples.empty()) continue;
    text += fmt::format(".PP\nExamples:\n.PP\n.nf\n{}.fi\n", Roff(group.examples));
  }
  return text + R"(.SH "EXIT STATUS"
0 on success. 1 if something failed, differs or is damaged. 2 if a command could not start, for
example because an argument is wrong.
.SH "SEE ALSO"
.BR aws (1)
)";
}

std::string BashCompletion() {
  std::string groups;
  std::string verbs;
  std::string options;
  std::string values;
  for (const CommandGroup& group : CommandGroups()) {
    if (group.is_hidden) continue;
    groups += fmt::format("{}{}", groups.empty() ? "" : " ", group.name);
    std::string names;
    for (const Command* command : CommandsOf(group)) {
      if (!command->verb().empty()) {
        names += fmt::format("{}{}", names.empty() ? "" : " ", command->verb());
      }
      std::string flags = "--help";
      for (const Option& option : command->options) flags += fmt::format(" --{}", option.name);
      options += fmt::format("    '{}') options='{}' ;;\n", command->name, flags);
      values += ValueArms(*command);
    }
    if (!names.empty()) verbs += fmt::format("    {}) verbs='{}' ;;\n", group.name, names);
  }
  return fmt::format(R"(# Completion of monotable for bash, made by `monotable completion bash`.
_monotable() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
  local command="${{COMP_WORDS[1]}}" verbs= options= values=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{}' -- "$current"))
    return
  fi
  case "$command" in
{}  esac
  if [ -n "$verbs" ]; then
    if [ "$COMP_CWORD" -eq 2 ]; then
      COMPREPLY=($(compgen -W "$verbs" -- "$current"))
      return
    fi
    command="$command ${{COMP_WORDS[2]}}"
  fi
  case "$command $previous" in
{}  esac
  if [ -n "$values" ]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(eval "compgen $values -- \"\$current\""))
    return
  fi
  case "$command" in
{}  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  else
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -F _monotable monotable
)",
                     groups, verbs, values, options);
}

}  // namespace monotable::cli

#include "cli/commands/backup.h"

#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/backup_arguments.h"
#include "cli/commands/backup_verbs.h"
#include "cli/help.h"
#include "cli/outcome.h"
#include "error/suggestion.h"

namespace monotable::cli {

int RunBackup(std::span<const std::string_view> arguments) {
  constexpr std::array<std::pair<std::string_view, int (*)(const GivenOptions&)>, 5> kVerbs = {{
      {"create", RunBackupCreate},
      {"list", RunBackupList},
      {"verify", RunBackupVerify},
      {"restore", RunBackupRestore},
      {"test", RunBackupTest},
  }};
  const std::string_view verb = arguments.empty() ? "--help" : arguments[0];
  if (verb == "--help" || verb == "-h" || verb == "help") {
    fmt::print("{}", BackupHelp());
    return kFine;
  }
  std::vector<std::string_view> names;
  for (const auto& [name, run] : kVerbs) {
    names.push_back(name);
    if (name != verb) continue;
    const auto given = ReadBackupOptions(verb, arguments.subspan(1));
    if (!given) return Fail(given.error().message());
    if (!given->help) return run(*given);
    fmt::print("{}", BackupHelp());
    return kFine;
  }
  const auto meant = Suggest(verb, names);
  return Fail(fmt::format("There is no command 'backup {}'. {}", verb,
                          meant ? fmt::format("Did you mean monotable backup {}?", *meant)
                                : "See monotable backup --help."));
}

}  // namespace monotable::cli

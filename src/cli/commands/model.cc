#include "cli/commands/model.h"

#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/checked_model.h"
#include "cli/commands/model_verbs.h"
#include "cli/help.h"
#include "error/suggestion.h"

namespace monotable::cli {

int RunModel(std::span<const std::string_view> arguments) {
  constexpr std::array<std::pair<std::string_view, int (*)(const ModelArguments&)>, 8> kVerbs = {{
      {"check", RunCheck},
      {"docs", RunDocs},
      {"export", RunExport},
      {"estimate", RunEstimate},
      {"deploy", RunDeploy},
      {"samples", RunSamples},
      {"diff", RunDiff},
      {"test", RunTest},
  }};
  const std::string_view verb = arguments.empty() ? "--help" : arguments[0];
  if (verb == "--help" || verb == "-h" || verb == "help") {
    fmt::print("{}", ModelHelp());
    return kFine;
  }
  std::vector<std::string_view> names;
  for (const auto& [name, run] : kVerbs) {
    names.push_back(name);
    if (name != verb) continue;
    const auto parsed = ParseModelArguments(verb, arguments.subspan(1));
    if (!parsed) return Fail(parsed.error().message());
    if (!parsed->help) return run(*parsed);
    fmt::print("{}", ModelHelp());
    return kFine;
  }
  const auto meant = Suggest(verb, names);
  return Fail(fmt::format("There is no command 'model {}'. {}", verb,
                          meant ? fmt::format("Did you mean monotable model {}?", *meant)
                                : "See monotable model --help."));
}

}  // namespace monotable::cli

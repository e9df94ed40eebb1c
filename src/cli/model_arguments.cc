#include "cli/model_arguments.h"

#include <utility>

#include <fmt/format.h>

#include "cli/options.h"

namespace monotable::cli {
namespace {

// An option, the verb that has it, and where it goes: a switch, a text, or one of several texts.
struct ModelOption {
  std::string_view verb;
  std::string_view name;
  bool ModelArguments::*on = nullptr;
  std::string ModelArguments::*text = nullptr;
  std::vector<std::string> ModelArguments::*texts = nullptr;
};

std::vector<ModelOption> OptionsOf(std::string_view verb) {
  using Arguments = ModelArguments;
  static const std::vector<ModelOption> kOptions = {
      {"check", "strict", &Arguments::strict, nullptr, nullptr},
      {"check", "format", nullptr, nullptr, nullptr},
      {"docs", "out", nullptr, &Arguments::out, nullptr},
      {"export", "environment", nullptr, &Arguments::environment, nullptr},
      {"export", "out", nullptr, &Arguments::out, nullptr},
      {"estimate", "as-the-document", &Arguments::plain, nullptr, nullptr},
      {"estimate", "prices", nullptr, &Arguments::prices, nullptr},
      {"deploy", "endpoint", nullptr, &Arguments::endpoint, nullptr},
      {"deploy", "environment", nullptr, &Arguments::environment, nullptr},
      {"deploy", "set", nullptr, nullptr, &Arguments::set},
      {"deploy", "dry-run", &Arguments::dry_run, nullptr, nullptr},
      {"deploy", "allow-destructive", &Arguments::destructive, nullptr, nullptr},
      {"deploy", "create-adopted", &Arguments::create_adopted, nullptr, nullptr},
      {"deploy", "samples", &Arguments::samples, nullptr, nullptr},
      {"samples", "endpoint", nullptr, &Arguments::endpoint, nullptr},
      {"samples", "environment", nullptr, &Arguments::environment, nullptr},
      {"samples", "set", nullptr, nullptr, &Arguments::set},
      {"samples", "overwrite", &Arguments::overwrite, nullptr, nullptr},
      {"diff", "endpoint", nullptr, &Arguments::endpoint, nullptr},
      {"diff", "environment", nullptr, &Arguments::environment, nullptr},
      {"diff", "set", nullptr, nullptr, &Arguments::set},
      {"test", "now", nullptr, &Arguments::now, nullptr},
  };
  std::vector<ModelOption> options;
  for (const ModelOption& option : kOptions) {
    if (option.verb == verb) options.push_back(option);
  }
  return options;
}

Status SetFormat(std::string_view value, ModelArguments* parsed) {
  if (value != "text" && value != "json") {
    return Error::Validation(
        fmt::format("Option --format: '{}' is not accepted. Give text or json.", value));
  }
  parsed->json = value == "json";
  return {};
}

}  // namespace

Result<ModelArguments> ParseModelArguments(std::string_view verb,
                                           std::span<const std::string_view> arguments) {
  const std::vector<ModelOption> options = OptionsOf(verb);
  std::vector<Option> names;
  for (const ModelOption& option : options) names.push_back({option.name, option.on != nullptr});
  TRY_ASSIGN(GivenOptions given, ReadOptions(names, arguments, "monotable model --help"));
  ModelArguments parsed;
  parsed.help = given.help;
  parsed.files = std::move(given.words);
  for (auto& [name, value] : given.options) {
    for (const ModelOption& option : options) {
      if (option.name != name) continue;
      if (option.on != nullptr) {
        parsed.*(option.on) = true;
      } else if (option.text != nullptr) {
        parsed.*(option.text) = std::move(value);
      } else if (option.texts != nullptr) {
        (parsed.*(option.texts)).push_back(std::move(value));
      } else {
        TRY(SetFormat(value, &parsed));
      }
    }
  }
  return parsed;
}

}  // namespace monotable::cli

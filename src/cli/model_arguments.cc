#include "cli/model_arguments.h"

#include <optional>

#include <fmt/format.h>

#include "error/suggestion.h"

namespace monotable::cli {
namespace {

// An option, the verb that has it, and where it goes: a switch, a text, or one of several texts.
struct Option {
  std::string_view verb;
  std::string_view name;
  bool ModelArguments::*on = nullptr;
  std::string ModelArguments::*text = nullptr;
  std::vector<std::string> ModelArguments::*texts = nullptr;
};

std::vector<Option> OptionsOf(std::string_view verb) {
  using Arguments = ModelArguments;
  static const std::vector<Option> kOptions = {
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
  std::vector<Option> options;
  for (const Option& option : kOptions) {
    if (option.verb == verb) options.push_back(option);
  }
  return options;
}

Error UnknownOption(std::string_view name, const std::vector<Option>& options) {
  std::vector<std::string_view> names = {"help"};
  for (const Option& option : options) names.push_back(option.name);
  const auto meant = Suggest(name, names);
  return Error::Validation(fmt::format(
      "There is no option --{}. {}", name,
      meant ? fmt::format("Did you mean --{}?", *meant) : "See monotable model --help."));
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
  const std::vector<Option> options = OptionsOf(verb);
  ModelArguments parsed;
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string_view argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      parsed.help = true;
      continue;
    }
    if (!argument.starts_with("--")) {
      parsed.files.emplace_back(argument);
      continue;
    }
    argument.remove_prefix(2);
    const size_t equals = argument.find('=');
    const std::string_view name = argument.substr(0, equals);
    const Option* option = nullptr;
    for (const Option& each : options) {
      if (each.name == name) option = &each;
    }
    if (option == nullptr) return UnknownOption(name, options);
    if (option->on != nullptr) {
      if (equals != std::string_view::npos) {
        return Error::Validation(fmt::format("Option --{} takes no value.", name));
      }
      parsed.*(option->on) = true;
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
    if (option->text != nullptr) {
      parsed.*(option->text) = *value;
    } else if (option->texts != nullptr) {
      (parsed.*(option->texts)).emplace_back(*value);
    } else {
      TRY(SetFormat(*value, &parsed));
    }
  }
  return parsed;
}

}  // namespace monotable::cli

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "error/result.h"

namespace monotable::cli {

// An option that a command has.
struct Option {
  std::string_view name;  // without its dashes
  bool is_switch = false;
};

// What a command was given.
struct GivenOptions {
  bool help = false;
  std::vector<std::string> words;  // everything that is no option
  // By their names, in the order of the command line; switches have no value.
  std::vector<std::pair<std::string_view, std::string>> options;

  bool Has(std::string_view name) const;
  // The last value; empty if the option was not given.
  std::string Value(std::string_view name) const;
};

// Reads --name value, --name=value and the switches. An option that the command does not have is
// an error, as is one that lacks its value; both are one line. help is where to look then, as in
// `monotable model --help`.
Result<GivenOptions> ReadOptions(std::span<const Option> options,
                                 std::span<const std::string_view> arguments,
                                 std::string_view help);

}  // namespace monotable::cli

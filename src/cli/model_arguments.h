#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"

namespace monotable::cli {

// What `monotable model VERB` was given after the verb.
struct ModelArguments {
  bool help = false;
  std::vector<std::string> files;  // everything that is no option
  bool json = false;               // --format json
  bool strict = false;             // --strict
  bool plain = false;              // --as-the-document
  std::string out;                 // --out FILE
  std::string environment;         // --environment NAME
  std::string prices;              // --prices FILE
  std::string endpoint;            // --endpoint URL
  std::vector<std::string> set;    // --set Name=Value, each
  std::string now;                 // --now INSTANT
  bool dry_run = false;            // --dry-run
  bool destructive = false;        // --allow-destructive
  bool create_adopted = false;     // --create-adopted
  bool samples = false;            // --samples
  bool overwrite = false;          // --overwrite
};

// Reads --name value, --name=value and the switches of a verb. An option that the verb does not
// have is an error, as is one that lacks its value; both are one line.
Result<ModelArguments> ParseModelArguments(std::string_view verb,
                                           std::span<const std::string_view> arguments);

}  // namespace monotable::cli

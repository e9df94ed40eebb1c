#pragma once

#include <span>
#include <string>
#include <string_view>

#include "server/config.h"

namespace monotable::server {

// One setting: its name, its explanation, and how to read and show its value. The same name is an
// option (--name), a key of the config file and, in upper case with underscores, an environment
// variable (MONOTABLE_NAME).
struct Setting {
  std::string_view name;
  std::string_view group;  // the heading in the help
  std::string_view value;  // what stands for the value in the help; empty: true or false
  std::string_view help;
  std::string_view accepted;                             // completes "give …"
  bool (*apply)(std::string_view text, Config* config);  // false if the text is not accepted
  std::string (*show)(const Config& config);  // as apply reads it; empty: no default to show

  std::string environment_name() const;
  bool is_switch() const { return value.empty(); }
};

// In the order of the help.
std::span<const Setting> Settings();
const Setting* FindSetting(std::string_view name);
// The setting that a misspelt name most likely means, or null.
const Setting* SuggestSetting(std::string_view name);

}  // namespace monotable::server

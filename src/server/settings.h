#pragma once

#include <span>
#include <string>
#include <string_view>

#include "server/config.h"

namespace monotable::server {

// One setting: how it is named, explained, read and shown. The same name is a flag (--name), a key
// of the config file, and in upper case with underscores an environment variable (MONOTABLE_NAME).
struct Setting {
  std::string_view name;
  std::string_view group;  // under which the help shows it
  std::string_view value;  // what stands for the value in the help; empty: true or false
  std::string_view help;
  std::string_view accepted;                             // completes "give …"
  bool (*apply)(std::string_view text, Config* config);  // false if the text is not accepted
  std::string (*show)(const Config& config);  // as apply takes it; empty: nothing to show

  std::string environment_name() const;
  bool is_switch() const { return value.empty(); }
};

// In the order of the help.
std::span<const Setting> Settings();
const Setting* FindSetting(std::string_view name);
// The setting that somebody who wrote this name most likely meant, or null.
const Setting* SuggestSetting(std::string_view name);

}  // namespace monotable::server

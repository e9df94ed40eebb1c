#include "server/config.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <unistd.h>

#include "server/settings.h"
#include "text/words.h"

namespace monotable::server {
namespace {

constexpr std::string_view kPrefix = "MONOTABLE_";

Status Apply(const Setting& setting, std::string_view text, std::string_view source,
             Config* config) {
  if (setting.apply(text, config)) return {};
  // A message must not repeat a secret.
  const std::string given =
      setting.name == "secret-access-key" ? "This" : fmt::format("'{}'", text);
  return Error::Validation(
      fmt::format("{}: {} is not accepted. Give {}.", source, given, setting.accepted));
}

// Reads lines `key = value`; a number sign begins a comment.
Status ApplyFile(const std::string& path, Config* config) {
  std::ifstream file(path);
  if (!file) return Error::Validation(fmt::format("Cannot read the config file '{}'.", path));
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string_view text = text::Trim(line, text::kLineBlanks);
    if (text.empty() || text[0] == '#') continue;
    const std::string source = fmt::format("{}, line {}", path, number);
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
      return Error::Validation(fmt::format("{}: expected key = value.", source));
    }
    const std::string_view name = text::Trim(text.substr(0, equals), text::kLineBlanks);
    const Setting* setting = FindSetting(name);
    if (setting == nullptr) {
      const Setting* meant = SuggestSetting(name);
      return Error::Validation(
          fmt::format("{}: there is no setting '{}'.{}", source, name,
                      meant ? fmt::format(" Did you mean {}?", meant->name) : ""));
    }
    TRY(Apply(*setting, text::Trim(text.substr(equals + 1), text::kLineBlanks),
              fmt::format("{} ({})", source, name), config));
  }
  return {};
}

Status ApplyEnvironment(const std::map<std::string, std::string>& environment,
                        LoadedConfig* loaded) {
  std::map<std::string, std::string> unknown = environment;
  for (const Setting& setting : Settings()) {
    const auto found = unknown.find(setting.environment_name());
    if (found == unknown.end()) continue;
    TRY(Apply(setting, found->second, fmt::format("Environment variable {}", found->first),
              &loaded->config));
    unknown.erase(found);
  }
  unknown.erase("MONOTABLE_CONFIG");
  // Other programs may use the prefix, so an unknown variable is not an error. But the operator
  // should notice a misspelt one.
  for (const auto& [variable, value] : unknown) {
    std::string name = variable.substr(kPrefix.size());
    for (char& c : name) {
      c = c == '_' ? '-' : text::ToLower(c);
    }
    if (const Setting* meant = SuggestSetting(name)) {
      loaded->warnings.push_back(
          fmt::format("Environment variable {} is no setting and is ignored. Did you mean {}?",
                      variable, meant->environment_name()));
    }
  }
  return {};
}

Status ApplyArguments(const std::vector<std::pair<std::string, std::string>>& arguments,
                      Config* config) {
  for (const auto& [name, value] : arguments) {
    const Setting* setting = FindSetting(name);
    if (setting == nullptr) {
      const Setting* meant = SuggestSetting(name);
      return Error::Validation(fmt::format("There is no option --{}. {}", name,
                                           meant ? fmt::format("Did you mean --{}?", meant->name)
                                                 : std::string("See monotable serve --help.")));
    }
    TRY(Apply(*setting, value, fmt::format("Option --{}", name), config));
  }
  return {};
}

// A setting that is a list grows within one source, and a stronger source replaces it.
template <typename ApplySource>
Status ApplyOver(Config* config, ApplySource apply) {
  constexpr std::array kLists = {&Config::allowed_hosts, &Config::models, &Config::environments,
                                 &Config::parameters};
  std::vector<std::vector<std::string>> weaker;
  weaker.reserve(kLists.size());
  for (const auto list : kLists) weaker.push_back(std::exchange(config->*list, {}));
  TRY(apply());
  auto replaced = weaker.begin();
  for (const auto list : kLists) {
    if ((config->*list).empty()) config->*list = std::move(*replaced);
    ++replaced;
  }
  return {};
}

// Checks the settings that depend on each other.
Status Check(const Config& config) {
  if (config.access_key_id.empty() != config.secret_access_key.empty()) {
    return Error::Validation(
        fmt::format("{} is set without {}. Set both or neither.",
                    config.access_key_id.empty() ? "secret-access-key" : "access-key-id",
                    config.access_key_id.empty() ? "access-key-id" : "secret-access-key"));
  }
  const bool has_keys = !config.access_key_id.empty() || !config.credentials_file.empty();
  if (!IsLoopback(config.http.host) && !has_keys) {
    return Error::Validation(fmt::format(
        "Host {} can be reached from other machines, so access keys are needed. Set "
        "MONOTABLE_ACCESS_KEY_ID and MONOTABLE_SECRET_ACCESS_KEY, or give --credentials-file FILE.",
        config.http.host));
  }
  if (config.in_memory && config.backup_every.count() > 0) {
    return Error::Validation(
        "backup-every is set, but with in-memory there are no files to back up. Leave out one.");
  }
  if (config.test_controls && !(config.in_memory && IsLoopback(config.http.host))) {
    return Error::Validation(
        "test-controls lets every client erase all data. It needs in-memory, and a host that only "
        "this machine can reach.");
  }
  return {};
}

}  // namespace

Result<LoadedConfig> LoadConfig(const ConfigSources& sources) {
  LoadedConfig loaded;
  std::optional<std::string> file = sources.file;
  if (const auto named = sources.environment.find("MONOTABLE_CONFIG");
      !file && named != sources.environment.end()) {
    file = named->second;
  }
  if (file) TRY(ApplyFile(*file, &loaded.config));
  TRY(ApplyOver(&loaded.config, [&] { return ApplyEnvironment(sources.environment, &loaded); }));
  TRY(ApplyOver(&loaded.config, [&] { return ApplyArguments(sources.arguments, &loaded.config); }));
  TRY(Check(loaded.config));
  return loaded;
}

std::map<std::string, std::string> MonotableEnvironment() {
  std::map<std::string, std::string> found;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    const size_t equals = variable.find('=');
    if (!variable.starts_with(kPrefix) || equals == std::string_view::npos) continue;
    found.emplace(variable.substr(0, equals), variable.substr(equals + 1));
  }
  return found;
}

Result<auth::Credentials> LoadCredentials(const Config& config) {
  auth::Credentials credentials;
  if (!config.credentials_file.empty()) {
    TRY_ASSIGN(credentials, auth::Credentials::FromFile(config.credentials_file));
  }
  if (!config.access_key_id.empty()) {
    TRY(credentials.Add(config.access_key_id, config.secret_access_key));
  }
  return credentials;
}

std::string BackupFolder(const Config& config) {
  namespace fs = std::filesystem;
  const std::string& named =
      config.backup_folder.empty() ? config.data_folder : config.backup_folder;
  std::error_code error;
  std::string folder = fs::absolute(named, error).lexically_normal().string();
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return config.backup_folder.empty() ? folder + "-backups" : folder;
}

std::string S3Folder(const Config& config) {
  if (!config.s3_folder.empty() || config.in_memory) return config.s3_folder;
  return (std::filesystem::path(config.data_folder) / "s3").string();
}

bool IsLoopback(std::string_view host) {
  if (host == "localhost" || host == "::1") return true;
  const std::string text(host);
  in_addr address{};
  // 127.0.0.0/8
  if (inet_pton(AF_INET, text.c_str(), &address) == 1) {
    return (ntohl(address.s_addr) >> 24) == 127;
  }
  in6_addr long_address{};
  return inet_pton(AF_INET6, text.c_str(), &long_address) == 1 &&
         IN6_IS_ADDR_LOOPBACK(&long_address);
}

}  // namespace monotable::server

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "auth/credentials.h"
#include "error/result.h"
#include "http/http_server.h"
#include "storage/rocksdb/rocksdb_store.h"
#include "telemetry/log.h"

namespace monotable::server {

// All settings of a server, with their defaults.
struct Config {
  http::ServerOptions http;
  std::string data_folder = "./monotable-data";
  bool in_memory = false;
  storage::Durability durability = storage::Durability::kSync;
  size_t cache_mb = 128;
  size_t write_buffer_mb = 32;
  size_t store_files = 400;  // data files that are open at a time; see server/file_limit.h
  std::string s3_folder;     // of exports and imports; empty: see S3Folder
  std::chrono::milliseconds ttl_delay = std::chrono::seconds(5);
  std::chrono::milliseconds ttl_change_interval = std::chrono::hours(1);
  std::string backup_folder;                  // empty: see BackupFolder
  std::chrono::milliseconds backup_every{0};  // 0: off
  uint32_t backup_keep = 7;
  std::chrono::milliseconds scrub_every = std::chrono::days(7);  // 0: off
  size_t scrub_mb_per_second = 20;
  std::string test_clock;      // where the clock stands (see ParseTestClock); empty: the real time
  bool test_controls = false;  // answer the requests of controls/test_controls.h
  bool stop_with_input = false;  // stop when standard input ends
  std::string region = "us-east-1";
  std::string account_id = "000000000000";
  bool strict = false;
  std::string access_key_id;
  std::string secret_access_key;
  std::string credentials_file;
  std::string jwt_secret_file;
  bool jwt_allow_no_expiry = false;        // accept tokens that never expire
  std::vector<std::string> allowed_hosts;  // beside loopback names; see server/host_guard.h
  std::vector<std::string> models;         // files
  std::vector<std::string> environments;   // of the models; see TargetOf in server/models.h
  std::vector<std::string> parameters;     // of the models: Name=value or model.Name=value
  bool samples = false;                    // put the samples of the models in at the start
  bool create_adopted = false;  // create the tables that models adopt if they are missing
  telemetry::LogLevel log_level = telemetry::LogLevel::kInfo;
};

// The sources of settings, from the weakest to the strongest: the file, the environment, the
// command line. A list in a stronger source replaces the list of a weaker one.
struct ConfigSources {
  std::optional<std::string> file;                             // path
  std::map<std::string, std::string> environment;              // MONOTABLE_… only
  std::vector<std::pair<std::string, std::string>> arguments;  // names without dashes, and values
};

struct LoadedConfig {
  Config config;
  std::vector<std::string> warnings;  // for the log
};

// Combines the sources and checks that the settings agree. An error is one line that says which
// source is wrong and what is accepted. It never repeats a secret.
Result<LoadedConfig> LoadConfig(const ConfigSources& sources);

// The variables of the environment of this process that begin with MONOTABLE_.
std::map<std::string, std::string> MonotableEnvironment();

// The access keys that the config names; there may be none.
Result<auth::Credentials> LoadCredentials(const Config& config);

// The absolute path of the folder with the server's backups: the one that the config names, or else
// one beside the data folder.
std::string BackupFolder(const Config& config);

// The folder that stands for S3: the one that the config names, or else one inside the data folder.
// Empty if there is neither.
std::string S3Folder(const Config& config);

// Whether only this machine can reach the host.
bool IsLoopback(std::string_view host);

}  // namespace monotable::server

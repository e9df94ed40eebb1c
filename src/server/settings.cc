#include "server/settings.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "error/suggestion.h"
#include "server/server_administration.h"
#include "text/words.h"

namespace monotable::server {
namespace {

using std::chrono::milliseconds;

template <typename Number>
bool ParseNumber(std::string_view text, Number min, Number max, Number* out) {
  const auto number = text::ParseNumber<Number>(text);
  if (!number || *number < min || *number > max) return false;
  *out = *number;
  return true;
}

bool ParseSwitch(std::string_view text, bool* out) {
  if (text != "true" && text != "false") return false;
  *out = text == "true";
  return true;
}

bool ParseMegabytes(std::string_view text, size_t min, size_t* megabytes) {
  return ParseNumber<size_t>(text, min, size_t{1} << 20, megabytes);
}

constexpr milliseconds kDay = std::chrono::hours(24);

// From the smallest unit to the largest. "ms" comes before "s" and "m", because it ends with "s".
constexpr std::pair<std::string_view, int64_t> kTimeUnits[] = {
    {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", kDay.count()}};

bool ParseTime(std::string_view text, milliseconds min, milliseconds max, milliseconds* out) {
  for (const auto& [suffix, unit] : kTimeUnits) {
    if (!text.ends_with(suffix)) continue;
    text.remove_suffix(suffix.size());
    int64_t count = 0;
    if (!ParseNumber<int64_t>(text, 0, max.count() / unit, &count)) return false;
    if (count * unit < min.count()) return false;
    *out = milliseconds(count * unit);
    return true;
  }
  return false;
}

// A time limit for clients, of up to a day.
bool ParseTimeout(std::string_view text, milliseconds* out) {
  return ParseTime(text, milliseconds(1), kDay, out);
}

// Shows a time in the largest unit that divides it.
std::string ShowTime(milliseconds time) {
  std::string shown = "0s";
  for (const auto& [suffix, unit] : kTimeUnits) {
    if (time.count() > 0 && time.count() % unit == 0) {
      shown = fmt::format("{}{}", time.count() / unit, suffix);
    }
  }
  return shown;
}

bool ParseInterval(std::string_view text, milliseconds* out) {
  if (text != "off") return ParseTime(text, std::chrono::seconds(1), 366 * kDay, out);
  *out = milliseconds(0);
  return true;
}

bool ParseClock(std::string_view text, std::string* out) {
  *out = text;
  return ParseTestClock(text).has_value();
}

bool ParseText(std::string_view text, std::string* out) {
  *out = text;
  return !text.empty();
}

bool ParseRegion(std::string_view text, std::string* out) {
  const bool proper = std::all_of(text.begin(), text.end(), [](char c) {
    return text::IsLower(c) || text::IsDigit(c) || c == '-';
  });
  return proper && ParseText(text, out);
}

bool ParseAccountId(std::string_view text, std::string* out) {
  const bool digits = std::all_of(text.begin(), text.end(), text::IsDigit);
  return digits && text.size() == 12 && ParseText(text, out);
}

bool ParseDurability(std::string_view text, storage::Durability* out) {
  if (text != "sync" && text != "relaxed") return false;
  *out = text == "sync" ? storage::Durability::kSync : storage::Durability::kRelaxed;
  return true;
}

bool ParseLevel(std::string_view text, telemetry::LogLevel* out) {
  const auto level = telemetry::ParseLogLevel(text);
  if (level) *out = *level;
  return level.has_value();
}

// Adds the entries of a list that is separated by commas.
bool AddEntries(std::string_view text, std::vector<std::string>* entries) {
  while (true) {
    const size_t comma = text.find(',');
    const std::string_view entry = text::Trim(text.substr(0, comma), " ");
    if (entry.empty()) return false;
    entries->emplace_back(entry);
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

// Whether the text is a host name or an address, without a port. Colons are those of IPv6.
bool IsHostName(std::string_view text) {
  const bool proper = std::all_of(text.begin(), text.end(), [](char c) {
    return text::IsAlphanumeric(c) || c == '-' || c == '.' || c == '_' || c == ':';
  });
  return proper && std::count(text.begin(), text.end(), ':') != 1;
}

bool AddHosts(std::string_view text, std::vector<std::string>* hosts) {
  return AddEntries(text, hosts) && std::all_of(hosts->begin(), hosts->end(), IsHostName);
}

// Adds parameters of the models. What follows a comma without a name of its own belongs to the
// value before it.
bool AddParameters(std::string_view text, std::vector<std::string>* parameters) {
  const size_t before = parameters->size();
  if (!AddEntries(text, parameters)) return false;
  for (size_t i = before; i < parameters->size();) {
    const size_t equals = (*parameters)[i].find('=');
    if (equals == 0) return false;
    if (equals != std::string::npos) {
      ++i;
      continue;
    }
    if (i == before) return false;
    (*parameters)[i - 1] += "," + (*parameters)[i];
    parameters->erase(parameters->begin() + static_cast<ptrdiff_t>(i));
  }
  return true;
}

constexpr std::string_view kNetwork = "Network";
constexpr std::string_view kData = "Data";
constexpr std::string_view kRecovery = "Time and recovery";
constexpr std::string_view kAccess = "Access";
constexpr std::string_view kModels = "Models";
constexpr std::string_view kLimits = "Limits";
constexpr std::string_view kLog = "Log";

constexpr std::string_view kAnyText = "some text";
constexpr std::string_view kTime = "a time such as 500ms, 30s or 2m, up to a day";
constexpr std::string_view kTimeFromZero = "a time such as 0s, 30s or 2h, up to a day";

const std::array kSettings = {
    Setting{
        "host", kNetwork, "ADDRESS",
        "The address to listen on. 127.0.0.1 also listens on ::1. An address that other machines "
        "can reach needs access keys.",
        "a host name or address",
        [](auto text, Config* c) { return ParseText(text, &c->http.host); },
        [](const Config& c) { return c.http.host; }},
    Setting{
        "port", kNetwork, "PORT",
        "The port to listen on. 0 takes a free port, which the ready line names.",
        "a number from 0 to 65535",
        [](auto text, Config* c) { return ParseNumber<uint16_t>(text, 0, 65535, &c->http.port); },
        [](const Config& c) { return std::to_string(c.http.port); }},
    Setting{
        "threads", kNetwork, "N",
        "The number of threads that serve connections; 0 is one per core.",
        "a number from 0 to 1024",
        [](auto text, Config* c) { return ParseNumber<size_t>(text, 0, 1024, &c->http.threads); },
        [](const Config& c) { return std::to_string(c.http.threads); }},
    Setting{"allowed-host", kNetwork, "NAME",
            "A name by which clients may call a server without access keys, beside localhost, its "
            "subdomains and loopback addresses. Requests for other names, and requests from web "
            "pages of other names, are refused. For several names, repeat the option or separate "
            "them with commas.",
            "a host name or address without port, or several with commas between them",
            [](auto text, Config* c) { return AddHosts(text, &c->allowed_hosts); },
            [](const Config& c) { return fmt::format("{}", fmt::join(c.allowed_hosts, ",")); }},

    Setting{"data", kData, "FOLDER",
            "The folder with the data. It is created if it does not exist.", "a folder",
            [](auto text, Config* c) { return ParseText(text, &c->data_folder); },
            [](const Config& c) { return c.data_folder; }},
    Setting{"in-memory", kData, "", "Keep the data in memory, and lose it when the server stops.",
            "true or false", [](auto text, Config* c) { return ParseSwitch(text, &c->in_memory); },
            [](const Config& c) { return std::string(c.in_memory ? "true" : "false"); }},
    Setting{"durability", kData, "MODE",
            "sync: a write is on disk before it is answered. relaxed: the operating system has the "
            "write, and a power cut may lose the last ones.",
            "sync or relaxed",
            [](auto text, Config* c) { return ParseDurability(text, &c->durability); },
            [](const Config& c) {
              return std::string(c.durability == storage::Durability::kSync ? "sync" : "relaxed");
            }},
    Setting{"cache-mb", kData, "MB", "Memory for the cache of data that was read.",
            "a number of megabytes from 1",
            [](auto text, Config* c) { return ParseMegabytes(text, 1, &c->cache_mb); },
            [](const Config& c) { return std::to_string(c.cache_mb); }},
    Setting{"write-buffer-mb", kData, "MB",
            "Memory for data that was written, before it is sorted into files. After the disk was "
            "full, this much must be free again before writes succeed.",
            "a number of megabytes from 1",
            [](auto text, Config* c) { return ParseMegabytes(text, 1, &c->write_buffer_mb); },
            [](const Config& c) { return std::to_string(c.write_buffer_mb); }},

    Setting{
        "backup-folder", kRecovery, "FOLDER",
        "The folder with the backups of the whole server. Without it, the folder beside the data "
        "folder that has its name and -backups.",
        "a folder", [](auto text, Config* c) { return ParseText(text, &c->backup_folder); },
        [](const Config& c) { return c.backup_folder; }},
    Setting{"backup-every", kRecovery, "TIME",
            "How often to make a backup, as in 24h. off: only when somebody asks for one.",
            "off, or a time such as 12h or 7d, from 1s to 366d",
            [](auto text, Config* c) { return ParseInterval(text, &c->backup_every); },
            [](const Config& c) {
              return c.backup_every.count() == 0 ? "off" : ShowTime(c.backup_every);
            }},
    Setting{"backup-keep", kRecovery, "N", "How many backups to keep; older ones are deleted.",
            "a number from 1 to 100000",
            [](auto text, Config* c) {
              return ParseNumber<uint32_t>(text, 1, 100'000, &c->backup_keep);
            },
            [](const Config& c) { return std::to_string(c.backup_keep); }},
    Setting{"scrub-every", kRecovery, "TIME",
            "How often to read all files of the data folder and compare checksums, as in 7d, so "
            "that damage is found while there are backups from before it. off: only when somebody "
            "asks for it.",
            "off, or a time such as 12h or 7d, from 1s to 366d",
            [](auto text, Config* c) { return ParseInterval(text, &c->scrub_every); },
            [](const Config& c) {
              return c.scrub_every.count() == 0 ? "off" : ShowTime(c.scrub_every);
            }},
    Setting{"scrub-mb-per-second", kRecovery, "MB", "How fast that reads.",
            "a number from 1 to 100000",
            [](auto text, Config* c) {
              return ParseNumber<size_t>(text, 1, 100'000, &c->scrub_mb_per_second);
            },
            [](const Config& c) { return std::to_string(c.scrub_mb_per_second); }},
    Setting{"s3-folder", kRecovery, "FOLDER",
            "The folder that stands for S3: each bucket of exports and imports is a folder in it. "
            "Without it, s3 in the data folder.",
            "a folder", [](auto text, Config* c) { return ParseText(text, &c->s3_folder); },
            [](const Config& c) { return c.s3_folder; }},
    Setting{"ttl-delay", kRecovery, "TIME", "How long after their time expired items are deleted.",
            "a time such as 0s, 5s or 2d",
            [](auto text, Config* c) {
              return ParseTime(text, milliseconds(0), 3660 * kDay, &c->ttl_delay);
            },
            [](const Config& c) { return ShowTime(c.ttl_delay); }},
    Setting{"ttl-change-interval", kRecovery, "TIME",
            "How long a table refuses another change of its time to live after one, as the service "
            "does. 0s: not at all.",
            kTimeFromZero,
            [](auto text, Config* c) {
              return ParseTime(text, milliseconds(0), kDay, &c->ttl_change_interval);
            },
            [](const Config& c) { return ShowTime(c.ttl_change_interval); }},
    Setting{"test-clock", kRecovery, "TIME",
            "For tests: the clock stands still at this moment until the request AdvanceClock moves "
            "it.",
            "a moment such as 2026-01-30T14:30:00Z, or now",
            [](auto text, Config* c) { return ParseClock(text, &c->test_clock); },
            [](const Config& c) { return c.test_clock; }},
    Setting{"test-controls", kRecovery, "",
            "For tests: answer requests that empty the server, remember and restore its data and "
            "advance its clock. Needs in-memory and a host that only this machine can reach.",
            "true or false",
            [](auto text, Config* c) { return ParseSwitch(text, &c->test_controls); },
            [](const Config& c) { return std::string(c.test_controls ? "true" : "false"); }},
    Setting{"stop-with-input", kRecovery, "",
            "For tests: stop when standard input ends, as it does when the process at the other "
            "end of the pipe is gone.",
            "true or false",
            [](auto text, Config* c) { return ParseSwitch(text, &c->stop_with_input); },
            [](const Config& c) { return std::string(c.stop_with_input ? "true" : "false"); }},

    Setting{
        "access-key-id", kAccess, "ID",
        "Accept only requests that are signed with this access key. Without any access key, every "
        "well-formed signature is accepted.",
        kAnyText, [](auto text, Config* c) { return ParseText(text, &c->access_key_id); },
        [](const Config& c) { return c.access_key_id; }},
    Setting{"secret-access-key", kAccess, "SECRET",
            "The secret of the access key. Other users can see command lines; use the environment "
            "or a file instead.",
            kAnyText, [](auto text, Config* c) { return ParseText(text, &c->secret_access_key); },
            [](const Config&) { return std::string(); }},
    Setting{"credentials-file", kAccess, "FILE",
            "A file with more access keys, in the format of ~/.aws/credentials.", "a file",
            [](auto text, Config* c) { return ParseText(text, &c->credentials_file); },
            [](const Config& c) { return c.credentials_file; }},
    Setting{
        "jwt-secret-file", kAccess, "FILE",
        "A file with the secret that signs bearer tokens for the REST API of models (HS256). The "
        "DynamoDB API then accepts only requests that are signed with an access key.",
        "a file", [](auto text, Config* c) { return ParseText(text, &c->jwt_secret_file); },
        [](const Config& c) { return c.jwt_secret_file; }},
    Setting{"jwt-allow-no-expiry", kAccess, "",
            "Accept bearer tokens without the claim exp, which never expire.", "true or false",
            [](auto text, Config* c) { return ParseSwitch(text, &c->jwt_allow_no_expiry); },
            [](const Config& c) { return std::string(c.jwt_allow_no_expiry ? "true" : "false"); }},
    Setting{"region", kAccess, "NAME", "The region in the ARNs of tables.",
            "lower-case letters, digits and dashes",
            [](auto text, Config* c) { return ParseRegion(text, &c->region); },
            [](const Config& c) { return c.region; }},
    Setting{"account-id", kAccess, "ID", "The account in the ARNs of tables.", "twelve digits",
            [](auto text, Config* c) { return ParseAccountId(text, &c->account_id); },
            [](const Config& c) { return c.account_id; }},
    Setting{"strict", kAccess, "",
            "Refuse what the service is said to refuse although published designs use it: an empty "
            "text in begins_with of a key condition.",
            "true or false", [](auto text, Config* c) { return ParseSwitch(text, &c->strict); },
            [](const Config& c) { return std::string(c.strict ? "true" : "false"); }},

    Setting{
        "model", kModels, "FILE",
        "A model to serve. Its tables are created, and changed where that takes nothing away. For "
        "several models, repeat the option or separate the files with commas.",
        "a file, or several with commas between them",
        [](auto text, Config* c) { return AddEntries(text, &c->models); },
        [](const Config& c) { return fmt::format("{}", fmt::join(c.models, ",")); }},
    Setting{"environment", kModels, "NAME",
            "The environment of the models to serve. Without it, the first one of each model. If "
            "models call theirs differently, give all names, as in production,prod: each model "
            "takes the first that it has.",
            "the name of an environment, or several with commas between them",
            [](auto text, Config* c) { return AddEntries(text, &c->environments); },
            [](const Config& c) { return fmt::format("{}", fmt::join(c.environments, ",")); }},
    Setting{"set", kModels, "NAME=VALUE",
            "The value of a parameter of the models, as in TableName=oms. It counts for every "
            "model that has the parameter; trading.TableName=oms counts for the model trading "
            "only. For several parameters, repeat the option.",
            "a parameter and its value, as in TableName=oms",
            [](auto text, Config* c) { return AddParameters(text, &c->parameters); },
            [](const Config& c) { return fmt::format("{}", fmt::join(c.parameters, ",")); }},
    Setting{"samples", kModels, "",
            "Put the sample items of the models into their tables, where they are missing.",
            "true or false", [](auto text, Config* c) { return ParseSwitch(text, &c->samples); },
            [](const Config& c) { return std::string(c.samples ? "true" : "false"); }},
    Setting{"create-adopted", kModels, "",
            "Create the tables that models adopt, where they are missing.", "true or false",
            [](auto text, Config* c) { return ParseSwitch(text, &c->create_adopted); },
            [](const Config& c) { return std::string(c.create_adopted ? "true" : "false"); }},

    Setting{"max-connections", kLimits, "N",
            "The most connections at a time. The longest idle one is closed for a new client; if "
            "none is idle, the client is refused.",
            "a number from 1",
            [](auto text, Config* c) {
              return ParseNumber<size_t>(text, 1, 1'000'000, &c->http.max_connections);
            },
            [](const Config& c) { return std::to_string(c.http.max_connections); }},
    Setting{"max-body-mb", kLimits, "MB",
            "The largest body of a request. Larger requests are refused.",
            "a number of megabytes from 1 to 1024",
            [](auto text, Config* c) {
              size_t megabytes = 0;
              if (!ParseNumber<size_t>(text, 1, 1024, &megabytes)) return false;
              c->http.max_body_bytes = megabytes << 20;
              return true;
            },
            [](const Config& c) { return std::to_string(c.http.max_body_bytes >> 20); }},
    Setting{
        "request-memory-mb", kLimits, "MB",
        "Memory for all requests in flight: bodies that are received, requests that are worked "
        "on and answers that wait to be sent. Large requests wait for it, and are refused if "
        "they wait for too long. What reads gather may take half as much again. The server takes "
        "at least twelve times max-body-mb.",
        "a number of megabytes from 16",
        [](auto text, Config* c) {
          size_t megabytes = 0;
          if (!ParseMegabytes(text, 16, &megabytes)) return false;
          c->http.request_memory_bytes = megabytes << 20;
          return true;
        },
        [](const Config& c) { return std::to_string(c.http.request_memory_bytes >> 20); }},
    Setting{"idle-timeout", kLimits, "TIME",
            "How long a client may be silent between two requests.", kTime,
            [](auto text, Config* c) { return ParseTimeout(text, &c->http.idle_timeout); },
            [](const Config& c) { return ShowTime(c.http.idle_timeout); }},
    Setting{"header-timeout", kLimits, "TIME",
            "How long a client may take to send the headers of a request.", kTime,
            [](auto text, Config* c) { return ParseTimeout(text, &c->http.header_timeout); },
            [](const Config& c) { return ShowTime(c.http.header_timeout); }},
    Setting{"body-timeout", kLimits, "TIME",
            "How long a client may take to send the body of a request.", kTime,
            [](auto text, Config* c) { return ParseTimeout(text, &c->http.body_timeout); },
            [](const Config& c) { return ShowTime(c.http.body_timeout); }},
    Setting{"write-timeout", kLimits, "TIME", "How long a client may take to receive an answer.",
            kTime, [](auto text, Config* c) { return ParseTimeout(text, &c->http.write_timeout); },
            [](const Config& c) { return ShowTime(c.http.write_timeout); }},

    Setting{"log-level", kLog, "LEVEL", "The least important messages to print on standard error.",
            "debug, info, warning, error or off",
            [](auto text, Config* c) { return ParseLevel(text, &c->log_level); },
            [](const Config& c) { return std::string(telemetry::LogLevelName(c.log_level)); }},
};

}  // namespace

std::string Setting::environment_name() const {
  std::string variable = "MONOTABLE_";
  for (const char c : name) {
    variable.push_back(c == '-' ? '_' : text::ToUpper(c));
  }
  return variable;
}

std::span<const Setting> Settings() {
  return kSettings;
}

const Setting* FindSetting(std::string_view name) {
  const auto found = std::find_if(kSettings.begin(), kSettings.end(),
                                  [&](const Setting& setting) { return setting.name == name; });
  return found == kSettings.end() ? nullptr : &*found;
}

const Setting* SuggestSetting(std::string_view name) {
  std::vector<std::string_view> names;
  names.reserve(kSettings.size());
  for (const Setting& setting : kSettings) names.push_back(setting.name);
  const auto nearest = Suggest(name, names);
  return nearest ? FindSetting(*nearest) : nullptr;
}

}  // namespace monotable::server

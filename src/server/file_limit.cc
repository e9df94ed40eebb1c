#include "server/file_limit.h"

#include <algorithm>

#include <fmt/format.h>
#include <sys/resource.h>

#include "http/http_server.h"
#include "telemetry/log.h"

namespace monotable::server {
namespace {

// For what is neither a connection nor a data file: the standard streams, the logs of the store,
// the files that it writes at the moment, exports and backups.
constexpr size_t kOtherFiles = 64;
constexpr size_t kLeastStoreFiles = 32;
constexpr size_t kLeastConnections = 16;

// The files of the network with so many connections.
size_t NetworkFiles(http::ServerOptions options, size_t connections) {
  options.max_connections = connections;
  return http::DescriptorsFor(options);
}

}  // namespace

size_t RaiseFileLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

Result<Config> WithinFileLimit(Config config, size_t limit) {
  const size_t wanted = config.http.max_connections;
  const size_t least = std::min(wanted, kLeastConnections);
  const size_t least_store = config.in_memory ? 0 : kLeastStoreFiles;
  const size_t needed = kOtherFiles + least_store + NetworkFiles(config.http, least);
  if (limit < needed) {
    return Error(ErrorCode::kUnavailable,
                 fmt::format("This process may open {} files, and the server needs {} or more. "
                             "Raise the limit (ulimit -n, or LimitNOFILE of systemd).",
                             limit, needed));
  }
  // The store has a half of what can be divided, if it needs so much.
  const size_t spare = limit - needed;
  if (!config.in_memory) {
    config.store_files = std::min(config.store_files, least_store + spare / 2);
  }
  const size_t for_network = limit - kOtherFiles - (config.in_memory ? 0 : config.store_files);
  size_t connections = std::min(wanted, for_network);
  while (connections > least && NetworkFiles(config.http, connections) > for_network) {
    --connections;
  }
  config.http.max_connections = connections;
  if (connections < wanted) {
    telemetry::Log(telemetry::LogLevel::kWarning,
                   "this process may open {} files, so there can be {} connections at a time "
                   "instead of {}; raise the limit (ulimit -n, or LimitNOFILE of systemd), or set "
                   "max-connections",
                   limit, connections, wanted);
  }
  return config;
}

}  // namespace monotable::server

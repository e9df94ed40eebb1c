#include "server/server.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/resource.h>

#include "storage/memory/memory_store.h"
#include "storage/rocksdb/rocksdb_store.h"

namespace monotable::server {
namespace {

// Every connection and every data file is a descriptor, and the usual soft limit of 1024 is kept
// low only for programs that use select.
void RaiseFileLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

Result<std::unique_ptr<storage::Store>> OpenStore(const Config& config) {
  if (config.in_memory) return storage::NewMemoryStore();
  storage::RocksDbOptions options;
  options.durability = config.durability;
  options.cache_bytes = config.cache_mb << 20;
  options.write_buffer_bytes = config.write_buffer_mb << 20;
  return storage::OpenRocksDbStore(config.data_folder, options);
}

}  // namespace

Server::Server(const Config& config) : config_(config) {}

Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::Start(const Config& config) {
  std::unique_ptr<Server> server(new Server(config));
  TRY(server->Open());
  return server;
}

Status Server::Open() {
  RaiseFileLimit();
  TRY_ASSIGN(auth::Credentials credentials, LoadCredentials(config_));
  authenticator_ = std::make_unique<auth::Authenticator>(std::move(credentials));
  TRY_ASSIGN(store_, OpenStore(config_));
  engine::EngineOptions engine_options;
  engine_options.region = config_.region;
  engine_options.account_id = config_.account_id;
  engine_options.accept_empty_begins_with = !config_.strict;
  TRY_ASSIGN(engine_, engine::Engine::Open(*store_, clock_, engine_options));
  service_ = std::make_unique<api::dynamodb::Service>(*engine_, *authenticator_);
  http_ = std::make_unique<http::Server>(config_.http, *service_);
  return http_->Start();
}

void Server::Drain(std::chrono::milliseconds limit) {
  http_->Drain(limit);
}

std::string Server::url() const {
  const std::string& host = config_.http.host;
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return fmt::format("http://{}:{}", is_ipv6 ? fmt::format("[{}]", host) : host, http_->port());
}

std::string Server::data_description() const {
  if (config_.in_memory) return "data: in memory, gone when the server stops";
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::absolute(config_.data_folder, error);
  return fmt::format("data: {}, {}", folder.lexically_normal().string(),
                     config_.durability == storage::Durability::kSync ? "durable" : "relaxed");
}

}  // namespace monotable::server

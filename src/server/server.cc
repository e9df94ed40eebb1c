#include "server/server.h"

#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/resource.h>

#include "server/secrets.h"
#include "storage/memory/memory_store.h"
#include "storage/rocksdb/rocksdb_store.h"
#include "transfer/transfers.h"

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

// The store uses the time of the clock, or of the system if the clock is null.
Result<std::unique_ptr<storage::Store>> OpenStore(const Config& config, const TestClock* clock) {
  std::function<int64_t()> now;
  if (clock != nullptr) now = [clock] { return clock->NowMs(); };
  if (config.in_memory) return storage::NewMemoryStore({.now = std::move(now)});
  storage::RocksDbOptions options;
  options.now = std::move(now);
  options.durability = config.durability;
  options.cache_bytes = config.cache_mb << 20;
  options.write_buffer_bytes = config.write_buffer_mb << 20;
  return storage::OpenRocksDbStore(config.data_folder, options);
}

}  // namespace

Server::Server(const Config& config) : config_(config) {}

// Stops from the outside in. Requests and the schedule may wait for a backup that is being made, so
// backups stop first. When the network is gone nobody begins anything new: the executor runs the
// requests that it has taken, then the writes that those have begun end, and then no thread is left
// inside a front door or a model.
Server::~Server() {
  if (backups_ != nullptr) backups_->Stop();
  http_.reset();
  if (executor_ == nullptr) return;
  executor_->Drain();
  if (runtime_ != nullptr) runtime_->Stop();
  executor_->Stop();
}

Result<std::unique_ptr<Server>> Server::Start(const Config& config) {
  std::unique_ptr<Server> server(new Server(config));
  TRY(server->Open());
  return server;
}

Status Server::Open() {
  RaiseFileLimit();
  // Models come first, so that a mistake in one is found before anything is opened.
  TRY_ASSIGN(models_, LoadModels(config_));
  TRY_ASSIGN(auth::Credentials credentials, LoadCredentials(config_));
  authenticator_ = std::make_unique<auth::Authenticator>(std::move(credentials));
  api::rest::ServiceOptions rest_options;
  TRY_ASSIGN(rest_options.jwt_secret, LoadJwtSecret(config_));
  TRY(OpenEngine());
  executor_ = std::make_unique<engine::Executor>();
  TRY(DeployModels(models_, config_, *engine_));
  if (!models_.empty()) TRY(ServeModels(std::move(rest_options)));
  TRY(PutSamples(models_, config_, *engine_));
  StartBackups();
  service_ = std::make_unique<api::dynamodb::Service>(
      *engine_, *executor_, *authenticator_,
      api::dynamodb::ServiceOptions{.administration = administration_.get()});
  door_ = std::make_unique<FrontDoor>(*service_, rest_.get());
  http_ = std::make_unique<http::Server>(config_.http, *door_);
  return http_->Start();
}

Status Server::OpenEngine() {
  if (const auto stands = ParseTestClock(config_.test_clock)) {
    test_clock_ = std::make_unique<TestClock>(*stands);
  }
  TRY_ASSIGN(store_, OpenStore(config_, test_clock_.get()));
  engine::EngineOptions options;
  options.region = config_.region;
  options.account_id = config_.account_id;
  options.accept_empty_begins_with = !config_.strict;
  options.expiry_delay_ms = config_.ttl_delay.count();
  options.ttl_change_interval_ms = config_.ttl_change_interval.count();
  const engine::Clock* clock = &system_clock_;
  if (test_clock_ != nullptr) clock = test_clock_.get();
  TRY_ASSIGN(engine_, engine::Engine::Open(*store_, *clock, options));
  return transfer::StartTransfers(*engine_, {.root_folder = S3Folder(config_)});
}

void Server::StartBackups() {
  backups_ = std::make_unique<Backups>(
      *engine_, BackupOptions{.data_folder = config_.in_memory ? "" : config_.data_folder,
                              .backup_folder = BackupFolder(config_),
                              .keep = config_.backup_keep});
  if (config_.backup_every.count() > 0) {
    schedule_ = std::make_unique<BackupSchedule>(*backups_, engine_->clock(), config_.backup_every);
    schedule_->Start();
  }
  administration_ = std::make_unique<ServerAdministration>(*engine_, *backups_, test_clock_.get(),
                                                           schedule_.get());
}

Status Server::ServeModels(api::rest::ServiceOptions options) {
  runtime_ = std::make_unique<entities::Runtime>(*engine_, *executor_);
  std::vector<api::rest::ModelSource> sources;
  for (const LoadedModel& loaded : models_) {
    TRY_ASSIGN(auto application,
               entities::Application::Create(
                   loaded.model, {.environment = config_.environment, .parameters = {}}));
    sources.push_back({runtime_->Add(std::move(application)), loaded.text});
  }
  TRY_ASSIGN(options.cursor_key, LoadCursorKey(config_));
  rest_ = std::make_unique<api::rest::Service>(*engine_, *executor_, *authenticator_,
                                               std::move(options), std::move(sources));
  return runtime_->Start();
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

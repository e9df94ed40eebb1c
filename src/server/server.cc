#include "server/server.h"

#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "engine/damage.h"
#include "server/file_limit.h"
#include "server/private_files.h"
#include "server/secrets.h"
#include "storage/memory/memory_store.h"
#include "storage/rocksdb/rocksdb_store.h"
#include "telemetry/log.h"
#include "transfer/transfers.h"

namespace monotable::server {
namespace {

// The store uses the time of the clock, or of the system if the clock is null.
Result<std::unique_ptr<storage::Store>> OpenStore(const Config& config, const TestClock* clock,
                                                  const controls::Snapshot* beginning) {
  std::function<int64_t()> now;
  if (clock != nullptr) now = [clock] { return clock->NowMs(); };
  if (beginning != nullptr) {
    auto store =
        storage::NewMemoryStore({.now = std::move(now), .last_sequence = beginning->last_sequence});
    TRY(controls::FillStore(*beginning, *store));
    return store;
  }
  if (config.in_memory) return storage::NewMemoryStore({.now = std::move(now)});
  CloseToOthers(config.data_folder, "CURRENT");
  storage::RocksDbOptions options;
  options.now = std::move(now);
  options.durability = config.durability;
  options.cache_bytes = config.cache_mb << 20;
  options.write_buffer_bytes = config.write_buffer_mb << 20;
  options.max_open_files = static_cast<int>(config.store_files);
  options.report_damage = [](const storage::Damage& damage, const storage::Reader& reader) {
    telemetry::Log(telemetry::LogLevel::kError, "{}. Everything else goes on.",
                   engine::DescribeDamage(damage, reader));
  };
  return storage::OpenRocksDbStore(config.data_folder, options);
}

// Null if the time is that of the system. With test controls the time can be moved even if nobody
// said where it stands: then it runs.
std::unique_ptr<TestClock> NewTestClock(const Config& config, const controls::Snapshot* beginning) {
  const auto stands = ParseTestClock(config.test_clock);
  if (!stands && !config.test_controls) return nullptr;
  const auto pace = stands ? TestClock::Pace::kStands : TestClock::Pace::kRuns;
  const int64_t shift_ms = beginning ? beginning->clock_shift_ms : stands.value_or(0);
  return std::make_unique<TestClock>(shift_ms, pace);
}

}  // namespace

// Stops from the outside in. The executor runs the requests that it has taken, then the writes that
// those have begun end, and then no thread is left inside a front door or a model.
Instance::~Instance() {
  StopBackups();
  if (executor_ == nullptr) return;
  executor_->Drain();
  if (runtime_ != nullptr) runtime_->Stop();
  engine_->SetExecutor(nullptr);
  executor_->Stop();
}

Result<std::unique_ptr<Instance>> Instance::Open(const Config& config,
                                                 const std::vector<LoadedModel>& models,
                                                 const controls::Snapshot* beginning) {
  std::unique_ptr<Instance> instance(new Instance(config, models));
  TRY(instance->OpenParts(beginning));
  return instance;
}

Status Instance::OpenParts(const controls::Snapshot* beginning) {
  TRY_ASSIGN(auth::Credentials credentials, LoadCredentials(config_));
  api::rest::ServiceOptions rest_options;
  TRY_ASSIGN(rest_options.jwt_secret, LoadJwtSecret(config_));
  // The tables are behind both doors. If one is locked, the other one is locked, too.
  authenticator_ = std::make_unique<auth::Authenticator>(
      std::move(credentials), rest_options.jwt_secret.empty() ? auth::WithoutCredentials::kAccepted
                                                              : auth::WithoutCredentials::kRefused);
  if (config_.jwt_allow_no_expiry) rest_options.token_expiry = auth::TokenExpiry::kOptional;
  TRY(OpenEngine(beginning));
  work::ExecutorOptions work;
  work.max_kept_bytes = config_.http.request_memory_bytes / 2;
  executor_ = std::make_unique<work::Executor>(work);
  engine_->SetExecutor(executor_.get());
  TRY(DeployModels(models_, config_, *engine_));
  if (!models_.empty()) TRY(ServeModels(std::move(rest_options)));
  // A snapshot has the samples, unless they were deleted before the snapshot was taken.
  if (beginning == nullptr) TRY(PutSamples(models_, config_, *engine_));
  TRY(StartBackups());
  service_ = std::make_unique<api::dynamodb::Service>(
      *engine_, *executor_, *authenticator_,
      api::dynamodb::ServiceOptions{.administration = administration_.get()});
  door_ = std::make_unique<FrontDoor>(*service_, rest_.get());
  return {};
}

Status Instance::OpenEngine(const controls::Snapshot* beginning) {
  test_clock_ = NewTestClock(config_, beginning);
  TRY_ASSIGN(store_, OpenStore(config_, test_clock_.get(), beginning));
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

Status Instance::StartBackups() {
  if (!config_.in_memory) CloseToOthers(BackupFolder(config_), "meta");
  backups_ = std::make_unique<Backups>(
      *engine_, BackupOptions{.data_folder = config_.in_memory ? "" : config_.data_folder,
                              .backup_folder = BackupFolder(config_),
                              .keep = config_.backup_keep});
  if (config_.backup_every.count() > 0) {
    schedule_ = std::make_unique<BackupSchedule>(*backups_, engine_->clock(), config_.backup_every);
    schedule_->Start();
  }
  scrubs_ = std::make_unique<Scrubs>(*engine_, config_.scrub_mb_per_second << 20);
  if (config_.scrub_every.count() > 0 && !config_.in_memory) {
    scrub_schedule_ =
        std::make_unique<ScrubSchedule>(*scrubs_, engine_->clock(), config_.scrub_every);
    scrub_schedule_->Start();
  }
  TRY_ASSIGN(std::vector<backup::DailyBackup> daily, DailyBackupsOf(models_, config_));
  if (!daily.empty()) {
    daily_backups_ = std::make_unique<backup::DailyBackups>(*engine_, std::move(daily));
    daily_backups_->Start();
  }
  std::vector<engine::Repeater*> schedules;
  if (schedule_ != nullptr) schedules.push_back(&schedule_->repeater());
  if (daily_backups_ != nullptr) schedules.push_back(&daily_backups_->repeater());
  administration_ = std::make_unique<ServerAdministration>(
      *engine_, *backups_, *scrubs_, test_clock_.get(), std::move(schedules), runtime_.get());
  return {};
}

Status Instance::ServeModels(api::rest::ServiceOptions options) {
  runtime_ = std::make_unique<entities::Runtime>(*engine_, *executor_);
  std::vector<api::rest::ModelSource> sources;
  for (const LoadedModel& loaded : models_) {
    TRY_ASSIGN(const deploy::Target target, TargetOf(loaded.model, config_));
    TRY_ASSIGN(auto application,
               entities::Application::Create(loaded.model, {.environment = target.environment,
                                                            .parameters = target.parameters}));
    sources.push_back({runtime_->Add(std::move(application)), loaded.text});
  }
  TRY_ASSIGN(options.cursor_key, LoadCursorKey(config_));
  rest_ = std::make_unique<api::rest::Service>(*engine_, *executor_, *authenticator_,
                                               std::move(options), std::move(sources));
  return runtime_->Start();
}

void Instance::StopBackups() {
  if (backups_ != nullptr) backups_->Stop();
  if (scrubs_ != nullptr) scrubs_->Stop();
}

void Instance::GiveUp() {
  StopBackups();
  if (executor_ != nullptr) executor_->GiveUp();
}

int64_t Instance::clock_shift_ms() const {
  return test_clock_ == nullptr ? 0 : test_clock_->shift_ms();
}

Result<int64_t> Instance::AdvanceClock(int64_t by_ms) {
  return administration_->AdvanceClock(by_ms);
}

// Requests may take long or wait for a backup that is being made, so these are given up first. When
// the network is gone, nobody begins anything new.
Server::~Server() {
  if (instance_ != nullptr) instance_->GiveUp();
  http_.reset();
}

Result<std::unique_ptr<Server>> Server::Start(const Config& config) {
  TRY_ASSIGN(const Config possible, WithinFileLimit(config, RaiseFileLimit()));
  std::unique_ptr<Server> server(new Server(possible));
  TRY(server->Open());
  return server;
}

Status Server::Open() {
  MakeFilesPrivate();
  // Models come first, so that a mistake in one is found before anything is opened.
  TRY_ASSIGN(models_, LoadModels(config_));
  http::Handler* handler = nullptr;
  if (config_.test_controls) {
    const auto open =
        [this](const controls::Snapshot* beginning) -> Result<std::unique_ptr<controls::World>> {
      TRY_ASSIGN(auto instance, Instance::Open(config_, models_, beginning));
      return std::unique_ptr<controls::World>(std::move(instance));
    };
    TRY_ASSIGN(controls_, controls::TestControls::Start(open));
    handler = controls_.get();
  } else {
    TRY_ASSIGN(instance_, Instance::Open(config_, models_));
    handler = &instance_->handler();
  }
  TRY_ASSIGN(const auth::Credentials credentials, LoadCredentials(config_));
  if (credentials.empty()) {
    guard_ = std::make_unique<HostGuard>(*handler, config_.allowed_hosts);
    handler = guard_.get();
  }
  http_ = std::make_unique<http::Server>(config_.http, *handler);
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

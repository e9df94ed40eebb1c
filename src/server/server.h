#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "api/dynamodb/service.h"
#include "api/rest/rest_service.h"
#include "auth/authenticator.h"
#include "backup/server_backups.h"
#include "controls/snapshot.h"
#include "controls/test_controls.h"
#include "engine/clock.h"
#include "engine/engine.h"
#include "engine/test_clock.h"
#include "entities/runtime.h"
#include "error/result.h"
#include "http/http_server.h"
#include "server/config.h"
#include "server/front_door.h"
#include "server/host_guard.h"
#include "server/models.h"
#include "server/server_administration.h"
#include "storage/store.h"
#include "work/executor.h"

namespace monotable::server {

// The data and everything that answers requests for it, without the network: store, engine,
// executor, models and front doors, put together from a config. The only place that names a
// concrete store. Not thread-safe.
class Instance final : public controls::World {
 public:
  // Begins with the data of a snapshot, in memory, if the snapshot is not null. The config and the
  // models must outlive the instance.
  static Result<std::unique_ptr<Instance>> Open(const Config& config,
                                                const std::vector<LoadedModel>& models,
                                                const controls::Snapshot* beginning = nullptr);
  // No request may arrive any more: the network is gone, or sends its requests elsewhere.
  ~Instance() override;

  http::Handler& handler() override { return *door_; }
  storage::Store& store() override { return *store_; }
  int64_t clock_shift_ms() const override;
  Result<int64_t> AdvanceClock(int64_t by_ms) override;
  // Gives up a backup that is being made, for which requests and the schedule may wait.
  void StopBackups();
  // Gives up whatever takes long, so that the instance can go soon.
  void GiveUp();

 private:
  Instance(const Config& config, const std::vector<LoadedModel>& models)
      : config_(config), models_(models) {}
  Status OpenParts(const controls::Snapshot* beginning);
  Status OpenEngine(const controls::Snapshot* beginning);
  Status StartBackups();
  // Starts the runtime of the models and their REST API.
  Status ServeModels(api::rest::ServiceOptions options);

  const Config& config_;
  const std::vector<LoadedModel>& models_;
  // Each member may use the ones before it.
  std::unique_ptr<TestClock> test_clock_;  // null if the time is real
  engine::SystemClock system_clock_;
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<work::Executor> executor_;
  std::unique_ptr<entities::Runtime> runtime_;  // null if there are no models
  std::unique_ptr<Backups> backups_;
  std::unique_ptr<BackupSchedule> schedule_;  // null if it is off
  std::unique_ptr<Scrubs> scrubs_;
  std::unique_ptr<ScrubSchedule> scrub_schedule_;        // null if it is off
  std::unique_ptr<backup::DailyBackups> daily_backups_;  // null if no model declares any
  std::unique_ptr<ServerAdministration> administration_;
  std::unique_ptr<auth::Authenticator> authenticator_;
  std::unique_ptr<api::rest::Service> rest_;  // null if there are no models
  std::unique_ptr<api::dynamodb::Service> service_;
  std::unique_ptr<FrontDoor> door_;
};

// A running server: an instance and the network. Not thread-safe.
class Server {
 public:
  // Opens the data and serves. An error is one line for the operator.
  static Result<std::unique_ptr<Server>> Start(const Config& config);
  // Stops without waiting for clients, if the server was not drained before.
  ~Server();

  // Stops accepting and waits until the requests in flight are answered, or the time is over.
  void Drain(std::chrono::milliseconds limit);

  // Where clients find it, with the real port: http://127.0.0.1:8000
  std::string url() const;
  // Where the data is and how safe, for people: `data: /path, durable`.
  std::string data_description() const;

 private:
  explicit Server(const Config& config) : config_(config) {}
  Status Open();

  const Config config_;
  std::vector<LoadedModel> models_;
  // One of the two. The controls open and replace instances of their own.
  std::unique_ptr<Instance> instance_;
  std::unique_ptr<controls::TestControls> controls_;
  std::unique_ptr<HostGuard> guard_;  // null if all callers are authenticated
  std::unique_ptr<http::Server> http_;
};

}  // namespace monotable::server

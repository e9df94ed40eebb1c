#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "api/dynamodb/service.h"
#include "api/rest/rest_service.h"
#include "auth/authenticator.h"
#include "engine/clock.h"
#include "engine/engine.h"
#include "engine/executor.h"
#include "entities/runtime.h"
#include "error/result.h"
#include "http/server.h"
#include "server/administration.h"
#include "server/backup_schedule.h"
#include "server/backups.h"
#include "server/config.h"
#include "server/front_door.h"
#include "server/models.h"
#include "server/test_clock.h"
#include "storage/store.h"

namespace monotable::server {

// A running server: store, engine, executor, models, front doors and network, put together from a
// config. The only place that names a concrete store. Not thread-safe.
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
  explicit Server(const Config& config);
  Status Open();
  Status OpenEngine();
  void StartBackups();
  // Starts the runtime of the models and their REST API.
  Status ServeModels(api::rest::ServiceOptions options);

  const Config config_;
  // Each member may use the ones before it.
  std::vector<LoadedModel> models_;
  std::unique_ptr<TestClock> test_clock_;  // null if the time is real
  engine::SystemClock system_clock_;
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<engine::Executor> executor_;
  std::unique_ptr<entities::Runtime> runtime_;  // null if there are no models
  std::unique_ptr<Backups> backups_;
  std::unique_ptr<BackupSchedule> schedule_;  // null if it is off
  std::unique_ptr<ServerAdministration> administration_;
  std::unique_ptr<auth::Authenticator> authenticator_;
  std::unique_ptr<api::rest::Service> rest_;  // null if there are no models
  std::unique_ptr<api::dynamodb::Service> service_;
  std::unique_ptr<FrontDoor> door_;
  std::unique_ptr<http::Server> http_;
};

}  // namespace monotable::server

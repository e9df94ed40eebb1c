#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/clock.h"
#include "engine/engine.h"
#include "entities/application.h"
#include "entities/guard.h"
#include "entities/write/entity_writer.h"
#include "error/result.h"
#include "work/executor.h"

namespace monotable::entities {

// A model at work: what is known about it, and what writes its items.
struct RunningModel {
  std::unique_ptr<const Application> application;
  std::unique_ptr<Writer> writer;
};

// The models of one server at work. A runtime holds the applications, their writers with the copy
// jobs behind them, and the guard that applies their rules to raw writes. The server makes one and
// lends it: the REST API writes through the models, and the engine asks the guard about the writes
// of the DynamoDB API.
//
// Thread safety: Add and Start belong to the thread that starts the server, before anything is
// served. The models and the guard are thread-safe.
//
// Life time: the engine and the executor must outlive the runtime, and the executor must run until
// Stop has returned. A model, its application and its writer live as long as the runtime.
class Runtime {
 public:
  Runtime(engine::Engine& engine, work::Executor& executor);
  ~Runtime() { Stop(); }

  // Takes a model in. Its tables must be there when Start is called.
  RunningModel& Add(std::unique_ptr<const Application> application);
  // Brings the tables up to the rules of their models (Writer::AdoptExisting), and has the engine
  // ask the guard about raw writes from now on.
  Status Start();
  // Waits for the writes that have begun, and leaves copy jobs that are not done to the next start.
  // Nobody may begin another write: the front doors are drained before.
  void Stop();

  engine::Engine& engine() { return engine_; }
  // In the order in which they were added.
  const std::vector<std::unique_ptr<RunningModel>>& models() const { return models_; }
  const Guard& guard() const { return guard_; }

 private:
  engine::Engine& engine_;
  work::Executor& executor_;
  std::vector<std::unique_ptr<RunningModel>> models_;
  Guard guard_;
  // Finds the jobs of servers that died. Stopped before anything else.
  std::optional<engine::Repeater> resuming_;
};

}  // namespace monotable::entities

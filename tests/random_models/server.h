#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/clock.h"
#include "engine/engine.h"
#include "entities/runtime.h"
#include "random_models/call.h"
#include "random_models/reference.h"
#include "storage/store.h"
#include "work/executor.h"

namespace monotable::random_models {

// What the server made of a call.
struct Answer {
  std::string refusal;           // the code of a problem; empty: done
  std::string message;           // of the refusal
  std::vector<Attributes> made;  // the keys of the items of the changes, if they were done
};

// The server under test: a store, an engine, and one or two runtimes of the model on it. Calls may
// come from several threads.
class Server {
 public:
  // On RocksDB in a folder, or in memory if there is none.
  Server(const std::string& folder, size_t runtimes);
  ~Server();

  // Loads and checks the model and makes its table. Empty, or what is wrong with the model.
  std::string Open(const std::string& yaml);

  // The state says which versions the items have.
  Answer Perform(const Call& call, const State& state, const Design& design, size_t runtime = 0);
  // Waits for copies that follow in the background.
  void Settle();

  // Everything that the table holds. Counters and other notes of the server are left out.
  std::map<Key, Stored> Table() const;

  int64_t now_seconds() const { return clock_.now_ms / 1000; }
  void Advance(int64_t seconds) { clock_.now_ms += seconds * 1000; }

 private:
  struct SettableClock final : engine::Clock {
    int64_t NowMs() const override { return now_ms; }
    std::atomic<int64_t> now_ms = 1'800'000'000'000;
  };

  Answer PerformChanges(const Call& call, const State& state, const Design& design,
                        entities::RunningModel& model);
  Answer PerformOperation(const Call& call, const Design& design, entities::RunningModel& model);
  Answer PerformRaw(const Call& call);

  SettableClock clock_;
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<engine::Engine> engine_;
  work::Executor executor_;
  size_t runtime_count_;
  std::vector<std::unique_ptr<entities::Runtime>> runtimes_;
};

}  // namespace monotable::random_models

#pragma once

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "engine/clock.h"
#include "engine/engine.h"
#include "error/result.h"
#include "simulation/begin_call.h"
#include "simulation/call.h"
#include "simulation/schema.h"
#include "storage/store.h"

namespace monotable::simulation {

enum class StoreKind { kMemory, kRocksDb, kFaulty };

struct ServerOptions {
  StoreKind store = StoreKind::kMemory;
  std::string folder;  // of kRocksDb
  uint64_t seed = 0;   // of the faults
};

// One change of one item as the change log has it.
struct LoggedChange {
  std::string table;
  uint64_t sequence = 0;
  uint32_t position = 0;
  std::optional<Item> old_item;
  std::optional<Item> new_item;
};

// The server under test: a store, an engine, and the operations on them in the model's terms.
// Thread-safe except for Restart.
class Server {
 public:
  explicit Server(ServerOptions options);
  ~Server();

  // False if the server could not be started, with the reason on standard error.
  bool Start();
  // Stops and starts again from the data on disk. Only with kRocksDb.
  bool Restart();

  std::future<Reply> Begin(const Call& call) { return BeginCall(*engine_, call); }
  Reply Perform(const Call& call) { return Begin(call).get(); }
  // Retries when the store fails, for observers that are not part of the test.
  Reply PerformSurely(const Call& call);

  // The error code of a control-plane call; nullopt if it succeeded.
  using Outcome = std::optional<ErrorCode>;
  Outcome CreateTable(const TableSchema& table);
  Outcome DropTable(const std::string& name);
  Outcome AddIndex(const TableSchema& table, const IndexSchema& index);
  Outcome RemoveIndex(const std::string& table, const std::string& index);
  // Waits until every index is filled.
  void Settle();

  // Reads through the faults of a faulty store. The changes of a table in the order of their
  // commits.
  std::vector<LoggedChange> ReadLog(const TableSchema& table);

  bool is_faulty() const { return options_.store == StoreKind::kFaulty; }
  engine::Engine& engine() { return *engine_; }

 private:
  ServerOptions options_;
  engine::SystemClock clock_;
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<engine::Engine> engine_;
};

}  // namespace monotable::simulation

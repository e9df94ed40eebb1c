#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "engine/catalog.h"
#include "engine/clock.h"
#include "error/result.h"
#include "storage/store.h"

namespace monotable::work {
class Executor;
}

namespace monotable::engine {

class Jobs;
class Preparations;
class Repeater;
class WriteGuard;

struct EngineOptions {
  std::string region = "us-east-1";
  std::string account_id = "000000000000";
  // Strict follows the service. Lenient also accepts requests that the documentation allows and the
  // service refuses.
  bool accept_empty_begins_with = true;
  // How long after their expiry items are deleted.
  int64_t expiry_delay_ms = 5000;
  // How long after a change of its time to live a table refuses another change.
  int64_t ttl_change_interval_ms = 3'600'000;
};

// What operations work with: the tables, the store, the time. Thread-safe. Owns the background work
// (housekeeping, expiry, jobs) and stops it in its destructor. The store must outlive the engine.
class Engine {
 public:
  static Result<std::unique_ptr<Engine>> Open(storage::Store& store, const Clock& clock,
                                              EngineOptions options);
  ~Engine();

  Catalog& catalog() { return *catalog_; }
  storage::Store& store() { return store_; }
  const Clock& clock() const { return clock_; }
  const EngineOptions& options() const { return options_; }
  Repeater& housekeeping() { return *housekeeping_; }  // engine/housekeeping.h
  Repeater& expiry() { return *expiry_; }              // engine/expiry.h
  Jobs& jobs() { return *jobs_; }

  // The guard that sees writes first (engine/write.h), or null. It must be set before requests are
  // served and must outlive them.
  // Taking it away waits for the deletions by time to live that still use it.
  void SetWriteGuard(WriteGuard* guard);
  WriteGuard* write_guard() const { return write_guard_; }
  // Held during each step of the deletions by time to live, which may use the guard.
  std::mutex& guarded_expiry() { return guarded_expiry_; }

  // The executor that prepares writes which are too much work for the thread of the store, or null:
  // then that thread decides every write. Taking the executor away waits for the writes that may
  // still use it; it must be taken away before it stops.
  void SetExecutor(work::Executor* executor);
  work::Executor* executor() const;
  Preparations& preparations() { return *preparations_; }  // engine/preparations.h

  // Tables are named by name or by ARN. The errors are the two spellings of the service: item
  // operations do not repeat the name, control-plane operations do.
  Result<TablePtr> FindTable(std::string_view name_or_arn) const;
  // The table name within an ARN, or the text itself.
  static std::string_view TableNameOf(std::string_view name_or_arn);
  std::string TableArn(std::string_view table_name) const;

  // The current value of a counter (encoding/keyspace.h).
  int64_t Counter(const std::string& key) const;

 private:
  Engine(storage::Store& store, const Clock& clock, EngineOptions options);

  storage::Store& store_;
  const Clock& clock_;
  EngineOptions options_;
  std::atomic<WriteGuard*> write_guard_ = nullptr;
  std::mutex guarded_expiry_;
  std::unique_ptr<Preparations> preparations_;
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<Repeater> housekeeping_;
  std::unique_ptr<Repeater> expiry_;
  std::unique_ptr<Jobs> jobs_;
};

}  // namespace monotable::engine

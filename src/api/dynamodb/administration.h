#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "error/result.h"
#include "item/value.h"

namespace monotable::api::dynamodb {

struct BackedUpTable {
  std::string name;
  int64_t items = 0;
  std::string digest = {};  // of all keys and items; empty if it was not asked for
};

// A backup of the whole server.
struct ServerBackup {
  uint32_t id = 0;
  int64_t time_ms = 0;
  uint64_t bytes = 0;
  uint32_t files = 0;
  std::string folder;  // the backup folder that it is in
  std::vector<BackedUpTable> tables = {};
  bool damaged = false;  // nothing but the id is known
};

// A reading of all files of a server.
struct ServerScrub {
  uint64_t files = 0;
  uint64_t bytes = 0;
  std::vector<std::string> damage;  // one line for each damaged place
};

// An item that breaks the model of its table (entities/audit/audit.h).
struct ModelBreach {
  std::string kind;
  std::string state;
  std::string table_name;
  std::string entity;
  item::Item key;
  std::string attribute;
  std::string message;
  std::string remedy;
};

struct ModelAuditRequest {
  std::string model;
  bool repair = false;
  std::string position;  // any bytes; empty: from the beginning
  size_t limit = 0;      // of items
};

struct ModelAuditPage {
  int64_t items = 0;
  int64_t total = 0;
  std::vector<ModelBreach> breaches;
  std::string next;  // empty: all is done
};

// The requests to a server as a whole, beyond the tables that the engine knows. The operations are
// in own_operations.cc. Thread-safe. A call returns when its work is done, which may take long.
class Administration {
 public:
  virtual ~Administration() = default;
  // Moves the clock of a server that has a clock for tests, waits until everything that is due by
  // then is done, and returns the new time. kUnknownOperation if the server has the system's clock.
  virtual Result<int64_t> AdvanceClock(int64_t by_ms) = 0;
  virtual Result<ServerBackup> CreateBackup(bool with_digests) = 0;
  virtual Result<std::vector<ServerBackup>> ListBackups() = 0;  // oldest first
  virtual Result<ServerScrub> Scrub() = 0;
  // Looks at the next items of a model's tables.
  virtual Result<ModelAuditPage> AuditModel(const ModelAuditRequest& request) = 0;
};

}  // namespace monotable::api::dynamodb

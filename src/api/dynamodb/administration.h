#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "error/result.h"

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
};

}  // namespace monotable::api::dynamodb

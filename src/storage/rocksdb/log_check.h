#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <rocksdb/file_system.h>

#include "error/result.h"
#include "storage/rocksdb/log_marks.h"
#include "storage/rocksdb/rocksdb_store.h"

// The check of the write-ahead logs before a data folder is opened. RocksDB does not notice a log
// that is missing or was cut between two records, and cannot tell the end of an interrupted write
// from damage in the middle.
namespace monotable::storage {

enum class LogState {
  kGood,
  // The log ends with a part of a write that nobody was told about.
  kTorn,
  // Updates that were acknowledged are missing or were changed.
  kDamaged,
};

struct CheckedLog {
  uint64_t number = 0;
  std::string path;
  LogState state = LogState::kGood;
  bool exists = true;
  uint64_t size = 0;       // of the file
  uint64_t good_size = 0;  // where the first bad record begins, or the file ends
  uint64_t records = 0;    // good ones, from the beginning
  uint64_t lost_size = 0;  // how long the log was at least, if it is too short now
  bool relaxed = false;    // see LogMark
};

struct LogCheck {
  std::vector<CheckedLog> logs;  // in the order of their numbers
  LogMarks marks;                // those that count
  std::string problem;           // of the marks; the logs were checked without them
};

// Reads all logs of a folder that no store has open.
Result<LogCheck> InspectLogs(rocksdb::FileSystem& files, const std::string& folder,
                             Durability durability);

// One line about a log that is damaged: which file, where, and what is wrong.
std::string DescribeLogDamage(const CheckedLog& log);

// Inspects the logs, cuts off torn ends and returns the marks that count. Damage is an error, which
// names the file and the place.
Result<LogMarks> CheckLogs(rocksdb::FileSystem& files, const std::string& folder,
                           Durability durability);

}  // namespace monotable::storage

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <rocksdb/file_system.h>
#include <rocksdb/status.h>

#include "error/result.h"
#include "storage/store.h"

// Damage in table files (*.sst): how to find it, and what is lost with it. A table file is a
// sequence of blocks, each with a checksum. The blocks with keys and values come first.
namespace monotable::storage {

// A block that RocksDB could not read, as it says in its message.
struct BadBlock {
  std::string file;
  uint64_t offset = 0;
  uint64_t bytes = 0;  // without the five bytes that follow each block
  int checksum_type = 0;
};
std::optional<BadBlock> BadBlockOf(const rocksdb::Status& status);
// The table file that a message names, if it names one.
std::optional<std::string> TableFileOf(const rocksdb::Status& status);

// The bytes of a block with no keys in it that can stand in for a bad one; nullopt if there is none
// for this type of checksum.
std::optional<std::string> EmptyBlock(const BadBlock& block);

// Slows down reading and stops it. Thread-safe.
class Pace {
 public:
  // Reads so many bytes in a second, or as many as possible with 0.
  explicit Pace(uint64_t bytes_per_second = 0, std::stop_token stop = {})
      : bytes_per_second_(bytes_per_second), stop_(std::move(stop)) {}

  // Waits for the turn of the next bytes. False if the reading should stop.
  bool Wait(uint64_t bytes);
  uint64_t bytes() const { return bytes_; }
  bool stopped() const { return stop_.stop_requested(); }

 private:
  const uint64_t bytes_per_second_;
  const std::stop_token stop_;
  std::mutex mutex_;
  uint64_t bytes_ = 0;
  std::optional<int64_t> begin_us_;  // guarded by mutex_
};

// Reads a table file and returns what is lost, with the keys: none if the file is good. An error
// means that the file could not be looked at, or that the pace was stopped.
Result<std::vector<Damage>> InspectTableFile(const std::shared_ptr<rocksdb::FileSystem>& files,
                                             const std::string& path, Pace* pace);

// Puts an empty block in the place of each damaged block of a table file, so that cursors and
// compactions can read the other keys. A compaction must then replace the file, because RocksDB
// may crash when it looks up a single key in an empty block. Fails for damage to the whole file.
Status DropDamagedBlocks(const std::shared_ptr<rocksdb::FileSystem>& files,
                         const std::string& path);

}  // namespace monotable::storage

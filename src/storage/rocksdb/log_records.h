#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <rocksdb/file_system.h>
#include <xxhash.h>

// The format of RocksDB's write-ahead logs, as far as it takes to tell whole records from torn and
// changed ones. A log is a sequence of blocks of 32 KB. A record is one fragment, or several, each
// within one block: checksum (4 bytes), length (2), type (1), content.
namespace monotable::storage {

// A digest of all bytes given so far. Not thread-safe.
class RunningDigest {
 public:
  RunningDigest() : state_(XXH3_createState()) { XXH3_64bits_reset(state_.get()); }
  void Add(std::string_view bytes) { XXH3_64bits_update(state_.get(), bytes.data(), bytes.size()); }
  uint64_t value() const { return XXH3_64bits_digest(state_.get()); }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  const std::unique_ptr<XXH3_state_t, Free> state_;
};

// What one reading of a log has found.
struct LogScan {
  uint64_t size = 0;
  // Where the whole records from the beginning end. Equal to the size if the whole log is good.
  uint64_t good_size = 0;
  // Whole records from the beginning, and the sequence number of the last one.
  uint64_t good_records = 0;
  uint64_t last_sequence = 0;
  // Whether a record begins after the first bad one. Then the bad one is not the end of an
  // interrupted write.
  bool record_follows = false;
  // The digest of the bytes up to the size that the caller asked for, if there are that many.
  std::optional<uint64_t> digest;

  bool whole() const { return good_size == size; }
};

// Reads a log from beginning to end. Numbers of sequences in it are above `last_sequence`.
rocksdb::IOStatus ScanLog(rocksdb::FileSystem& files, const std::string& path, uint64_t digest_size,
                          uint64_t last_sequence, LogScan* scan);

// The checksum by which the fragments of a log are protected.
uint32_t Crc32c(std::string_view bytes);

}  // namespace monotable::storage

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "error/result.h"
#include "storage/store.h"

namespace rocksdb {
class Env;
}  // namespace rocksdb

namespace monotable::storage {

enum class Durability {
  // A write is acknowledged when it is on the disk: it survives a power cut.
  kSync,
  // A write is acknowledged when the operating system has it: it survives the end of the process,
  // however sudden, but the last moments before a power cut may be lost.
  kRelaxed,
};

// Is told about damage in the files of a store while the store is open, once for each place, with a
// reader of the store. Runs on a thread of the store, or on that of a scrub.
using DamageReporter = std::function<void(const Damage& damage, const Reader& reader)>;

// The defaults suit a laptop: they cost next to nothing until there is data.
struct RocksDbOptions {
  Durability durability = Durability::kSync;
  size_t cache_bytes = size_t{128} << 20;
  // After the disk was full, this much must be free before writes go on.
  size_t write_buffer_bytes = size_t{32} << 20;
  // The size of the files of bulk writes, about what compactions aim at.
  size_t bulk_file_bytes = size_t{64} << 20;
  int background_jobs = 2;
  int max_open_files = 400;
  // The wall clock in milliseconds since the epoch. The default is the system's clock.
  std::function<int64_t()> now = nullptr;
  DamageReporter report_damage = nullptr;
  // Where RocksDB gets files and threads. Tests may replace the default.
  rocksdb::Env* env = nullptr;
};

// Opens the store of a folder and creates the folder if there is none. An error is one line for the
// operator: it names the folder and says what to do.
Result<std::unique_ptr<Store>> OpenRocksDbStore(const std::string& path,
                                                const RocksDbOptions& options = {});

}  // namespace monotable::storage

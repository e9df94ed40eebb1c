#include "storage/rocksdb/rocksdb_options.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

namespace monotable::storage {
namespace {

bool IsSupported(rocksdb::CompressionType type) {
  const std::vector<rocksdb::CompressionType> supported = rocksdb::GetSupportedCompressions();
  return std::find(supported.begin(), supported.end(), type) != supported.end();
}

void SetTable(const RocksDbOptions& options, rocksdb::Options* result) {
  rocksdb::BlockBasedTableOptions table;
  // The LRU cache takes memory only as it fills. HyperClock would scale to more cores, but it
  // allocates its whole table at once and is experimental in RocksDB 7.
  table.block_cache = rocksdb::NewLRUCache(options.cache_bytes);
  // Most writes first look up the old item, and often there is none.
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.optimize_filters_for_memory = true;
  table.block_size = size_t{8} << 10;
  // Items are large and keys share little but the front, which compression takes care of: with the
  // usual 16 a lookup would walk through most of a block.
  table.block_restart_interval = 4;
  table.format_version = 5;
  result->table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));

  result->compression =
      IsSupported(rocksdb::kLZ4Compression) ? rocksdb::kLZ4Compression : rocksdb::kNoCompression;
  if (IsSupported(rocksdb::kZSTD)) result->bottommost_compression = rocksdb::kZSTD;
}

void SetWriteAheadLog(const RocksDbOptions& options, rocksdb::Options* result) {
  // With kSync an acknowledged write is on the disk, so the only thing that may be missing from a
  // log is the end of its last record, a write that nobody was told about. Anything else is damage
  // that may hide acknowledged writes: better to refuse to open, and let somebody restore a
  // backup, than to go on without them, which is what kPointInTimeRecovery would do. With kRelaxed
  // a power cut may leave the unsynced end of a log in any state; the promise is then a consistent
  // state from shortly before, and that is kPointInTimeRecovery.
  result->wal_recovery_mode = options.durability == Durability::kSync
                                  ? rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords
                                  : rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  // Everything that matters is in a log (rocksdb_writer.h), so closing need not flush the memtable.
  result->avoid_flush_during_shutdown = true;
  // Without these two settings, the disk idles and then receives everything at once.
  result->bytes_per_sync = uint64_t{1} << 20;
  if (options.durability == Durability::kRelaxed) result->wal_bytes_per_sync = uint64_t{1} << 20;
}

void SetQuiet(rocksdb::Options* result) {
  result->info_log_level = rocksdb::InfoLogLevel::WARN_LEVEL;
  result->keep_log_file_num = 2;
  result->max_log_file_size = size_t{1} << 20;
  result->stats_dump_period_sec = 0;
  result->stats_persist_period_sec = 0;
}

}  // namespace

rocksdb::Options MakeRocksDbOptions(const RocksDbOptions& options) {
  rocksdb::Options result;
  if (options.env != nullptr) result.env = options.env;
  result.create_if_missing = true;
  result.max_open_files = options.max_open_files;
  result.max_background_jobs = options.background_jobs;

  result.write_buffer_size = options.write_buffer_bytes;
  // One thread writes, so the memtable needs no atomics for several.
  result.allow_concurrent_memtable_write = false;
  result.memtable_prefix_bloom_size_ratio = 0.02;
  result.memtable_whole_key_filtering = true;

  result.level_compaction_dynamic_level_bytes = true;
  result.compaction_readahead_size = size_t{2} << 20;
  // A write-ahead log can go when every family has flushed what is in it. Since they are flushed
  // together, none waits for a family that is seldom written.
  result.atomic_flush = true;
  // Opening the database must not read every file,
  result.skip_stats_update_on_db_open = true;
  // nor start sixteen threads for the few files that it does read.
  result.max_file_opening_threads = 1;

  SetTable(options, &result);
  SetWriteAheadLog(options, &result);
  SetQuiet(&result);
  return result;
}

rocksdb::ColumnFamilyOptions MakeLogFamilyOptions(const rocksdb::Options& options) {
  rocksdb::ColumnFamilyOptions result(options);
  // The log family shares the block cache of the other family.
  auto table = *options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  // Readers of the log never look up a single key; they read long ranges.
  table.filter_policy = nullptr;
  table.block_size = size_t{32} << 10;
  table.block_restart_interval = 16;
  result.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  result.memtable_prefix_bloom_size_ratio = 0;
  result.memtable_whole_key_filtering = false;
  // New keys are at the end of their own log only, so each compaction rewrites the logs in between.
  // Readers of the log can wait, so there are few compactions, which makes a write four times
  // cheaper.
  result.level0_file_num_compaction_trigger = 12;
  result.level0_slowdown_writes_trigger = 36;
  result.level0_stop_writes_trigger = 48;
  return result;
}

namespace {

// One write-ahead log. RocksDB uses it from one thread at a time.
class LogFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  explicit LogFile(std::unique_ptr<rocksdb::FSWritableFile> file)
      : FSWritableFileOwnerWrapper(std::move(file)) {}

  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
    if (failed_) return rocksdb::IOStatus::OK();
    rocksdb::IOStatus status = FSWritableFileOwnerWrapper::Append(data, options, debug);
    if (status.ok()) {
      size_ += data.size();
    } else {
      CutOff(size_, options, debug);
    }
    return status;
  }

  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo& /*verification*/,
                           rocksdb::IODebugContext* debug) override {
    return Append(data, options, debug);
  }

  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options,
                         rocksdb::IODebugContext* debug) override {
    if (failed_) return rocksdb::IOStatus::OK();
    return Synced(FSWritableFileOwnerWrapper::Sync(options, debug), options, debug);
  }

  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options,
                          rocksdb::IODebugContext* debug) override {
    if (failed_) return rocksdb::IOStatus::OK();
    return Synced(FSWritableFileOwnerWrapper::Fsync(options, debug), options, debug);
  }

 private:
  rocksdb::IOStatus Synced(rocksdb::IOStatus status, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) {
    if (status.ok()) {
      synced_size_ = size_;
    } else {
      CutOff(synced_size_, options, debug);
    }
    return status;
  }

  // If even truncating fails, the torn end stays in the file, which opening tolerates.
  void CutOff(uint64_t size, const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) {
    failed_ = true;
    Truncate(size, options, debug).PermitUncheckedError();
  }

  uint64_t size_ = 0;
  uint64_t synced_size_ = 0;
  bool failed_ = false;
};

class LogFileSystem : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;

  const char* Name() const override { return "MonotableLogFileSystem"; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = target()->NewWritableFile(name, options, file, debug);
    if (status.ok() && name.ends_with(".log")) *file = std::make_unique<LogFile>(std::move(*file));
    return status;
  }
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> NewLogFileSystem(
    const std::shared_ptr<rocksdb::FileSystem>& base) {
  return std::make_shared<LogFileSystem>(base);
}

}  // namespace monotable::storage

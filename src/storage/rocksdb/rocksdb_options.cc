#include "storage/rocksdb/rocksdb_options.h"

#include <algorithm>
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
  // Before a store is opened, its logs are checked (log_check.h), and these modes matter only where
  // that check leaves something open: for logs of versions that did not write marks, and for
  // folders that are opened without a store. With kSync, what is not whole may hide acknowledged
  // writes: better to refuse to open than to go on without them, which is what
  // kPointInTimeRecovery would do. With kRelaxed the promise is a consistent state from shortly
  // before a power cut, and that is kPointInTimeRecovery.
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

}  // namespace monotable::storage

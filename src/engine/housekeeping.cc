#include "engine/housekeeping.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "encoding/keyspace.h"
#include "engine/backfill.h"
#include "engine/change_log.h"
#include "engine/engine.h"
#include "engine/expiry.h"
#include "engine/idempotency.h"
#include "engine/jobs.h"
#include "engine/recovery/table_backups.h"
#include "telemetry/log.h"

namespace monotable::engine {
namespace {

Status DeleteRange(storage::Store& store, const storage::Range& range) {
  return storage::UpdateAndWait(
      store, {}, [&range](auto, const auto&, storage::Batch* batch) { batch->DeleteRange(range); });
}

// Deleting a range leaves a tombstone that reads must step over, so the deletion waits until there
// is enough to delete. Meanwhile no reader sees records that are too old.
constexpr int64_t kTrimStepMs = 600'000;

Status TrimShard(Engine& engine, uint32_t table_id, uint8_t shard, int64_t kept_since_ms) {
  storage::Range old = encoding::ChangesRange(table_id, shard);
  old.end = encoding::ChangeKey(table_id, shard, {kept_since_ms, 0, 0});
  const auto cursor = engine.store().Latest().Scan(old, storage::Direction::kForward);
  TRY(cursor->status());
  if (!cursor->Valid()) return {};
  const auto oldest = encoding::DecodeChangeKey(cursor->key());
  if (oldest && oldest->time_ms > kept_since_ms - kTrimStepMs) return {};
  return DeleteRange(engine.store(), old);
}

}  // namespace

Status TrimTokens(Engine& engine) {
  // The oldest bucket that TokenBuckets names.
  const int64_t bucket = TokenBucket(engine.clock().NowMs()) - 2;
  if (bucket <= 0) return {};
  const storage::Range range = encoding::TokensBefore(bucket);
  const auto cursor = engine.store().Latest().Scan(range, storage::Direction::kForward);
  TRY(cursor->status());
  if (!cursor->Valid()) return {};
  return DeleteRange(engine.store(), range);
}

Status TrimJobs(Engine& engine) {
  constexpr int64_t kListedMs = int64_t{90} * 24 * 3'600'000;
  const std::string first_kept = Jobs::FirstId(engine.clock().NowMs() - kListedMs);
  for (const JobKind kind : {JobKind::kExport, JobKind::kImport}) {
    TRY_ASSIGN(const std::vector<Job> jobs, engine.jobs().List(kind));
    for (const Job& job : jobs) {
      if (job.id >= first_kept) break;
      if (job.state != JobState::kRunning) TRY(engine.jobs().Remove(kind, job.id));
    }
  }
  return {};
}

Status TrimChanges(Engine& engine, const std::stop_token& stop) {
  const int64_t now_ms = engine.clock().NowMs();
  for (const TablePtr& table : engine.catalog().All()) {
    for (uint8_t shard = 0; shard < encoding::kShards; ++shard) {
      if (stop.stop_requested()) return {};
      TRY(TrimShard(engine, table->id, shard, LogKeptSince(*table, now_ms)));
    }
  }
  return {};
}

namespace {

using table::StreamDefinition;
using table::TableDefinition;

bool IsGone(const StreamDefinition& stream, int64_t now_ms) {
  return stream.end && stream.end->time_ms < now_ms - kStreamLifeMs;
}

bool NeedsShards(const TableDefinition& table, int64_t now_ms) {
  return table.stream.enabled && !table.streams.empty() &&
         table.streams.back().generations.back().time_ms <= now_ms - kShardLifeMs;
}

// A stream that was enabled before streams could be read.
bool NeedsStream(const TableDefinition& table) {
  return table.stream.enabled && table.streams.empty();
}

// The parent of a shard stays known for as long as the shard can be read.
void DropGenerations(int64_t now_ms, StreamDefinition* stream) {
  auto& generations = stream->generations;
  while (generations.size() > 2 && generations[2].time_ms < now_ms - kStreamLifeMs) {
    generations.erase(generations.begin());
  }
}

Status KeepStreamsOf(Engine& engine, const TableDefinition& table, int64_t now_ms) {
  const bool some_gone =
      std::any_of(table.streams.begin(), table.streams.end(),
                  [&](const StreamDefinition& stream) { return IsGone(stream, now_ms); });
  if (!some_gone && !NeedsShards(table, now_ms) && !NeedsStream(table)) return {};
  const auto decide = [&](const TableDefinition* current, uint32_t) -> Catalog::Decision {
    if (current == nullptr || current->id != table.id) {
      return Error(ErrorCode::kResourceNotFound, "The table is gone.");
    }
    TableDefinition next = *current;
    if (NeedsShards(next, now_ms)) {
      DropGenerations(now_ms, &next.streams.back());
      // The catalog fills in the moment of the commit.
      next.streams.back().generations.push_back({});
    }
    return std::optional(std::move(next));
  };
  const auto changed = engine.catalog().Change(table.name, decide);
  if (changed || changed.error().code() == ErrorCode::kResourceNotFound) return {};
  return changed.error();
}

Status ForgetDropped(Engine& engine, const TableDefinition& table, int64_t now_ms) {
  if (!std::all_of(table.streams.begin(), table.streams.end(),
                   [&](const StreamDefinition& stream) { return IsGone(stream, now_ms); })) {
    return {};
  }
  const std::string record = encoding::DroppedTableKey(table.id);
  const storage::Range log = encoding::ChangesRange(table.id);
  return storage::UpdateAndWait(engine.store(), {record},
                                [&](auto, const auto&, storage::Batch* batch) {
                                  batch->Delete(record);
                                  batch->DeleteRange(log);
                                });
}

}  // namespace

Status KeepStreams(Engine& engine) {
  const int64_t now_ms = engine.clock().NowMs();
  for (const TablePtr& table : engine.catalog().All()) {
    TRY(KeepStreamsOf(engine, *table, now_ms));
  }
  TRY_ASSIGN(const auto dropped, engine.catalog().Dropped());
  for (const TablePtr& table : dropped) TRY(ForgetDropped(engine, *table, now_ms));
  return {};
}

// If one kind of work fails, the others are still done.
bool KeepHouse(Engine& engine, const std::stop_token& stop) {
  bool worked = true;
  const auto check = [&worked](std::string_view what, const Status& status) {
    if (status) return;
    worked = false;
    telemetry::Log(telemetry::LogLevel::kWarning, "{} failed and is tried again: {}", what,
                   status.error().message());
  };
  check("Filling an index", FillIndexes(engine, stop));
  check("Listing the items that expire", FillExpiries(engine, stop));
  check("Trimming idempotency tokens", TrimTokens(engine));
  check("Keeping streams", KeepStreams(engine));
  check("Trimming the change log", TrimChanges(engine, stop));
  check("Removing expired backups", TrimBackups(engine));
  check("Removing old records of jobs", TrimJobs(engine));
  return worked;
}

}  // namespace monotable::engine

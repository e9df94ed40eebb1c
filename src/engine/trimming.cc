#include "engine/trimming.h"

#include <string>
#include <vector>

#include "encoding/keyspace.h"
#include "engine/change_log.h"
#include "engine/idempotency.h"
#include "engine/jobs.h"

namespace monotable::engine {
namespace {

Status DeleteRange(storage::Store& store, const storage::Range& range) {
  return storage::UpdateAndWait(
      store, {}, [&range](auto, const auto&, storage::Batch* batch) { batch->DeleteRange(range); });
}

// Deleting a range leaves a mark that reads must step over, so it waits until there is something to
// delete. Nobody sees what is too old meanwhile.
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

}  // namespace monotable::engine

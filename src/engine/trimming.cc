#include "engine/trimming.h"

#include <string>
#include <utility>

#include "encoding/keyspace.h"
#include "engine/change_log.h"
#include "engine/idempotency.h"

namespace monotable::engine {
namespace {

Status DeleteRange(storage::Store& store, const storage::Range& range) {
  return storage::UpdateAndWait(
      store, {}, [&range](auto, const auto&, storage::Batch* batch) { batch->DeleteRange(range); });
}

// Records are ordered by commit, so the old ones are the beginning of the range.
Status TrimTable(Engine& engine, uint32_t table_id, int64_t oldest_ms,
                 const std::stop_token& stop) {
  encoding::KeyRange changes = encoding::ChangesRange(table_id);
  storage::Range old{changes.begin, changes.begin};
  const auto cursor = engine.store().Latest().Scan(
      {std::move(changes.begin), std::move(changes.end)}, storage::Direction::kForward);
  for (; cursor->Valid() && !stop.stop_requested(); cursor->Next()) {
    TRY_ASSIGN(const ChangeHeader header, DecodeChangeHeader(cursor->value()));
    if (header.time_ms >= oldest_ms) break;
    old.end = std::string(cursor->key()) + '\0';
  }
  TRY(cursor->status());
  if (old.end == old.begin) return {};
  return DeleteRange(engine.store(), old);
}

}  // namespace

Status TrimTokens(Engine& engine) {
  // The oldest bucket that TokenBuckets names.
  const int64_t bucket = TokenBucket(engine.clock().NowMs()) - 2;
  if (bucket <= 0) return {};
  encoding::KeyRange tokens = encoding::TokensBefore(bucket);
  const storage::Range range{std::move(tokens.begin), std::move(tokens.end)};
  const auto cursor = engine.store().Latest().Scan(range, storage::Direction::kForward);
  TRY(cursor->status());
  if (!cursor->Valid()) return {};
  return DeleteRange(engine.store(), range);
}

Status TrimChanges(Engine& engine, const std::stop_token& stop) {
  const int64_t oldest_ms = engine.clock().NowMs() - kChangeLifeMs;
  for (const TablePtr& table : engine.catalog().All()) {
    if (stop.stop_requested()) return {};
    TRY(TrimTable(engine, table->id, oldest_ms, stop));
  }
  return {};
}

}  // namespace monotable::engine

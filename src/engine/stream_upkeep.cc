#include "engine/stream_upkeep.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "encoding/keyspace.h"
#include "engine/change_log.h"

namespace monotable::engine {
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
      // The catalog puts the moment of the commit in.
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

}  // namespace monotable::engine

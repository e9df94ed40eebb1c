#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <xxhash.h>

#include "engine/key_check.h"
#include "item/value.h"
#include "operations/streams/sequence_number.h"
#include "operations/streams/shard_log.h"
#include "operations/streams/stream_moment.h"
#include "operations/streams/streams.h"
#include "time/calendar.h"

namespace monotable::operations {
namespace {

using encoding::ChangePosition;
using encoding::EncodedItem;
using table::StreamViewType;

constexpr int64_t kMaxRecords = 1000;
constexpr size_t kMaxBytes = 1024 * 1024;
constexpr int64_t kIteratorLifeMs = 15 * 60'000;

// As Java prints a date, in the words of the service.
std::string DateText(int64_t time_ms) {
  return time::FormatUnixDate(time_ms);
}

Status CheckAge(const ShardIterator& iterator, int64_t now_ms) {
  if (now_ms - iterator.created_at_ms <= kIteratorLifeMs) return {};
  return Error(ErrorCode::kExpiredIterator,
               fmt::format("Iterator expired. The iterator was created at time {} while right now "
                           "it is {} which is further in the future than the tolerated delay of "
                           "{} milliseconds.",
                           DateText(iterator.created_at_ms), DateText(now_ms), kIteratorLifeMs));
}

Result<StreamShard> FindShardOf(const StreamMoment& moment, const TableStream& stream,
                                const ShardIterator& iterator) {
  auto shard = FindShard(*stream.definition, iterator.generation, iterator.shard);
  if (!shard) return TrimmedDataAccess();
  if (shard->end && shard->end->time_ms < moment.trimmed_before_ms()) return TrimmedDataAccess();
  if (iterator.at_record && iterator.next.time_ms < moment.trimmed_before_ms()) {
    return TrimmedDataAccess();
  }
  return std::move(*shard);
}

// Different for all changes of all tables, and always the same for one.
std::string EventId(const table::TableDefinition& table, const ChangePosition& position) {
  const std::string change = table.uuid + FormatSequenceNumber(position);
  const XXH128_hash_t hash = XXH3_128bits(change.data(), change.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::optional<EncodedItem> Copy(const std::optional<encoding::ItemView>& image, bool wanted) {
  if (!wanted || !image) return std::nullopt;
  return EncodedItem{std::string(image->record())};
}

size_t SizeOf(const std::optional<EncodedItem>& image) {
  return image ? encoding::ItemView(*image).ChargedSize() : 0;
}

// The log may hold more than the stream shows: for point-in-time recovery.
Result<StreamRecord> MakeRecord(const TableStream& stream, const storage::Cursor& cursor) {
  TRY_ASSIGN(const engine::ChangeRecord change, engine::DecodeChange(cursor.value()));
  const StreamViewType view = stream.definition->view_type;
  StreamRecord record;
  TRY_ASSIGN(record.position, PositionOf(cursor));
  record.event_id = EventId(*stream.table, record.position);
  record.event = change.event;
  record.origin = change.origin;
  TRY_ASSIGN(record.keys, engine::KeyOf(*stream.table, change.AnyImage()));
  record.new_image = Copy(change.new_item, engine::ShowsNewItem(view));
  record.old_image = Copy(change.old_item, engine::ShowsOldItem(view));
  record.size_bytes =
      item::SizeOf(record.keys) + SizeOf(record.new_image) + SizeOf(record.old_image);
  return record;
}

// Adds records until there are enough; the cursor is left on the first one that is not among them.
Status FillPage(const TableStream& stream, size_t limit, storage::Cursor* cursor,
                std::vector<StreamRecord>* records) {
  size_t bytes = 0;
  for (; cursor->Valid() && records->size() < limit; cursor->Next()) {
    TRY_ASSIGN(StreamRecord record, MakeRecord(stream, *cursor));
    bytes += record.size_bytes;
    if (bytes > kMaxBytes && !records->empty()) break;
    records->push_back(std::move(record));
  }
  return cursor->status();
}

}  // namespace

Result<GetRecordsResponse> GetRecords(engine::Engine& engine, const GetRecordsRequest& request) {
  const ShardIterator& iterator = request.iterator;
  const StreamMoment moment(engine);
  TRY(CheckAge(iterator, moment.now_ms()));
  TRY_ASSIGN(const TableStream stream, moment.Find(iterator.stream_arn));
  TRY_ASSIGN(const StreamShard shard, FindShardOf(moment, stream, iterator));

  GetRecordsResponse response;
  response.view_type = stream.definition->view_type;
  response.region = engine.options().region;
  const auto first = std::max(iterator.next, ChangePosition{moment.trimmed_before_ms(), 0, 0});
  const auto cursor =
      moment.reader().Scan(RecordsOf(stream, shard, first), storage::Direction::kForward);
  const auto limit =
      static_cast<size_t>(std::clamp<int64_t>(request.limit.value_or(kMaxRecords), 1, kMaxRecords));
  TRY(FillPage(stream, limit, cursor.get(), &response.records));

  if (!cursor->Valid() && shard.end) return response;
  response.next = iterator;
  response.next->created_at_ms = moment.now_ms();
  response.next->at_record = cursor->Valid();
  if (cursor->Valid()) {
    TRY_ASSIGN(response.next->next, PositionOf(*cursor));
  } else if (!response.records.empty()) {
    response.next->next = After(response.records.back().position);
  }
  return response;
}

}  // namespace monotable::operations

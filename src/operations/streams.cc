#include "operations/streams.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <xxhash.h>

#include "engine/key_check.h"
#include "item/value.h"
#include "operations/stream_shards.h"
#include "time/calendar.h"
#include "work/meter.h"

namespace monotable::operations {
namespace {

constexpr int64_t kStreamsPageSize = 100;

}  // namespace

Result<ListStreamsResponse> ListStreams(engine::Engine& engine, const ListStreamsRequest& request) {
  const StreamMoment moment(engine);
  TRY_ASSIGN(const auto streams,
             request.table_name ? moment.StreamsOf(*request.table_name) : moment.AllStreams());
  auto first = streams.begin();
  // The stream to start after need not be there any more.
  if (request.exclusive_start_stream_arn) {
    first = std::upper_bound(
        first, streams.end(), *request.exclusive_start_stream_arn,
        [](const std::string& arn, const TableStream& stream) { return arn < stream.arn; });
  }
  const int64_t limit =
      std::clamp<int64_t>(request.limit.value_or(kStreamsPageSize), 1, kStreamsPageSize);
  const auto last = first + std::min<int64_t>(limit, streams.end() - first);
  ListStreamsResponse response;
  for (auto stream = first; stream != last; ++stream) {
    response.streams.push_back({stream->arn, stream->table->name, stream->definition->label});
  }
  if (last != streams.end()) response.last_evaluated_stream_arn = response.streams.back().arn;
  return response;
}

namespace {

constexpr int64_t kShardsPageSize = 100;

// The shards that a request is about, from the one after the given id on.
std::vector<StreamShard> SelectShards(std::vector<StreamShard> shards,
                                      const DescribeStreamRequest& request) {
  std::erase_if(shards, [&request](const StreamShard& shard) {
    if (request.exclusive_start_shard_id && shard.id <= *request.exclusive_start_shard_id) {
      return true;
    }
    return request.children_of && shard.parent_id != *request.children_of;
  });
  return shards;
}

}  // namespace

Result<StreamDescription> DescribeStream(engine::Engine& engine,
                                         const DescribeStreamRequest& request) {
  const StreamMoment moment(engine);
  TRY_ASSIGN(const TableStream stream, moment.Find(request.stream_arn));
  StreamDescription description;
  description.arn = stream.arn;
  description.label = stream.definition->label;
  description.enabled = !stream.definition->end;
  description.view_type = stream.definition->view_type;
  description.created_at_ms = stream.definition->created_at_ms;
  description.table_name = stream.table->name;
  description.key = stream.table->key;
  description.shards =
      SelectShards(ShardsOf(*stream.definition, moment.trimmed_before_ms()), request);
  const auto limit = static_cast<size_t>(
      std::clamp<int64_t>(request.limit.value_or(kShardsPageSize), 1, kShardsPageSize));
  if (description.shards.size() > limit) {
    description.shards.resize(limit);
    description.last_evaluated_shard_id = description.shards.back().id;
  }
  return description;
}

namespace {

using encoding::ChangePosition;

bool TakesSequenceNumber(ShardIteratorType type) {
  return type == ShardIteratorType::kAtSequenceNumber ||
         type == ShardIteratorType::kAfterSequenceNumber;
}

Status CheckSequenceNumber(const GetShardIteratorRequest& request) {
  if (request.sequence_number.has_value() == TakesSequenceNumber(request.type)) return {};
  return Error::Validation(
      request.sequence_number
          ? "SequenceNumber can only be specified when ShardIteratorType is AT_SEQUENCE_NUMBER or "
            "AFTER_SEQUENCE_NUMBER"
          : "SequenceNumber must be specified when ShardIteratorType is AT_SEQUENCE_NUMBER or "
            "AFTER_SEQUENCE_NUMBER");
}

Result<StreamShard> FindById(const StreamMoment& moment, const TableStream& stream,
                             const std::string& id) {
  std::vector<StreamShard> shards = ShardsOf(*stream.definition, moment.trimmed_before_ms());
  const auto found = std::find_if(shards.begin(), shards.end(),
                                  [&id](const StreamShard& shard) { return shard.id == id; });
  if (found == shards.end()) {
    return Error(ErrorCode::kResourceNotFound,
                 "Requested resource not found: Shard does not exist");
  }
  return std::move(*found);
}

// Changes that cannot be seen yet come after all those that can.
Result<ChangePosition> AfterNewest(const StreamMoment& moment, const TableStream& stream,
                                   const StreamShard& shard) {
  const auto cursor =
      moment.reader().Scan(RecordsOf(stream, shard, shard.First()), storage::Direction::kBackward);
  TRY(cursor->status());
  if (!cursor->Valid()) return shard.First();
  TRY_ASSIGN(const ChangePosition newest, PositionOf(*cursor));
  return After(newest);
}

Result<ChangePosition> FromSequenceNumber(const StreamMoment& moment, const StreamShard& shard,
                                          const GetShardIteratorRequest& request) {
  const auto position = ParseSequenceNumber(*request.sequence_number);
  if (!position || !shard.Contains(*position)) {
    return Error::Validation("Invalid SequenceNumber: " + *request.sequence_number);
  }
  if (position->time_ms < moment.trimmed_before_ms()) return TrimmedDataAccess();
  return request.type == ShardIteratorType::kAtSequenceNumber ? *position : After(*position);
}

}  // namespace

Result<ShardIterator> GetShardIterator(engine::Engine& engine,
                                       const GetShardIteratorRequest& request) {
  TRY(CheckSequenceNumber(request));
  const StreamMoment moment(engine);
  TRY_ASSIGN(const TableStream stream, moment.Find(request.stream_arn));
  TRY_ASSIGN(const StreamShard shard, FindById(moment, stream, request.shard_id));
  ShardIterator iterator;
  iterator.stream_arn = stream.arn;
  iterator.generation = shard.begin;
  iterator.shard = shard.number;
  iterator.next = shard.First();
  iterator.created_at_ms = moment.now_ms();
  if (request.type == ShardIteratorType::kLatest) {
    TRY_ASSIGN(iterator.next, AfterNewest(moment, stream, shard));
  } else if (TakesSequenceNumber(request.type)) {
    TRY_ASSIGN(iterator.next, FromSequenceNumber(moment, shard, request));
    iterator.at_record = true;
  }
  return iterator;
}

namespace {

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

// The id of an event is unique over all changes of all tables, and the same in every answer.
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

// The log may hold images that the stream does not show, because point-in-time recovery needs them.
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

// Adds records until the page is full. Leaves the cursor on the first record that was not added.
Status FillPage(const TableStream& stream, size_t limit, storage::Cursor* cursor,
                std::vector<StreamRecord>* records) {
  size_t bytes = 0;
  for (; cursor->Valid() && records->size() < limit; cursor->Next()) {
    if (!work::Keep(work::kCursorStepUnits + cursor->value().size())) return work::StopError();
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

#include <algorithm>
#include <utility>

#include "operations/streams/sequence_number.h"
#include "operations/streams/shard_log.h"
#include "operations/streams/stream_moment.h"
#include "operations/streams/streams.h"

namespace monotable::operations {
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

}  // namespace monotable::operations

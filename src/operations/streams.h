#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "encoding/item.h"
#include "encoding/keyspace.h"
#include "engine/change_log.h"
#include "engine/engine.h"
#include "error/result.h"
#include "item/value.h"
#include "operations/stream_shards.h"
#include "table/definition.h"

// DynamoDB Streams: reading the changes of tables, in commit order by shard. Every answer is of one
// moment of the store (see StreamMoment in stream_shards.h).
namespace monotable::operations {

struct ListStreamsRequest {
  std::optional<std::string> table_name;
  std::optional<std::string> exclusive_start_stream_arn;
  std::optional<int64_t> limit;
};

struct ListStreamsResponse {
  struct Entry {
    std::string arn;
    std::string table_name;
    std::string label;
  };
  std::vector<Entry> streams;
  std::optional<std::string> last_evaluated_stream_arn;
};

struct DescribeStreamRequest {
  std::string stream_arn;
  std::optional<std::string> exclusive_start_shard_id;
  std::optional<int64_t> limit;
  // ShardFilter of the type CHILD_SHARDS: only the children of this shard.
  std::optional<std::string> children_of;
};

struct StreamDescription {
  std::string arn;
  std::string label;
  bool enabled = false;
  table::StreamViewType view_type = table::StreamViewType::kNewAndOldImages;
  int64_t created_at_ms = 0;
  std::string table_name;
  table::KeySchema key;
  std::vector<StreamShard> shards;
  std::optional<std::string> last_evaluated_shard_id;
};

enum class ShardIteratorType { kTrimHorizon, kLatest, kAtSequenceNumber, kAfterSequenceNumber };

struct GetShardIteratorRequest {
  std::string stream_arn;
  std::string shard_id;
  ShardIteratorType type = ShardIteratorType::kTrimHorizon;
  std::optional<std::string> sequence_number;
};

// A place in a shard from which to read on. Front doors hand it out as a text that cannot be made
// up or changed.
struct ShardIterator {
  std::string stream_arn;
  table::LogMoment generation;  // where the shard begins, which names it together with its number
  uint8_t shard = 0;
  encoding::ChangePosition next;  // the first one that has not been read
  // Whether the iterator names a record, or the place after a record. Such a record must not have
  // been trimmed by the time it is read. Other iterators mean whatever records are still there.
  bool at_record = false;
  int64_t created_at_ms = 0;
  friend bool operator==(const ShardIterator&, const ShardIterator&) = default;
};

struct GetRecordsRequest {
  ShardIterator iterator;
  std::optional<int64_t> limit;
};

struct StreamRecord {
  encoding::ChangePosition position;  // its sequence number, and when it was made
  std::string event_id;
  engine::ChangeEvent event = engine::ChangeEvent::kInsert;
  engine::ChangeOrigin origin = engine::ChangeOrigin::kUser;
  item::Item keys;
  // The images that the view type of the stream includes.
  std::optional<encoding::EncodedItem> new_image;
  std::optional<encoding::EncodedItem> old_image;
  size_t size_bytes = 0;
};

struct GetRecordsResponse {
  table::StreamViewType view_type = table::StreamViewType::kNewAndOldImages;
  std::string region;
  std::vector<StreamRecord> records;
  std::optional<ShardIterator> next;  // nothing once a closed shard has been read to its end
};

// A stream can be read for a day after it has ended, even if its table is gone.
Result<ListStreamsResponse> ListStreams(engine::Engine& engine, const ListStreamsRequest& request);
Result<StreamDescription> DescribeStream(engine::Engine& engine,
                                         const DescribeStreamRequest& request);
Result<ShardIterator> GetShardIterator(engine::Engine& engine,
                                       const GetShardIteratorRequest& request);
Result<GetRecordsResponse> GetRecords(engine::Engine& engine, const GetRecordsRequest& request);

}  // namespace monotable::operations

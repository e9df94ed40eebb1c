#include <algorithm>
#include <utility>

#include "operations/streams/stream_moment.h"
#include "operations/streams/streams.h"

namespace monotable::operations {
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

}  // namespace monotable::operations

#include "operations/streams/stream_shards.h"

#include <algorithm>

#include <fmt/format.h>
#include <xxhash.h>

#include "operations/streams/sequence_number.h"

namespace monotable::operations {
namespace {

using table::LogMoment;
using table::StreamDefinition;

// As the service's: the time at which the shard began, and digits that tell it from its siblings.
// They follow from what is stored, so they are the same for ever.
std::string ShardId(const StreamDefinition& stream, const LogMoment& begin, uint8_t number) {
  static_assert(encoding::kShards <= 16);
  const std::string generation =
      fmt::format("{} {} {}", stream.label, begin.time_ms, begin.sequence);
  const auto hash = static_cast<uint32_t>(XXH3_64bits(generation.data(), generation.size()));
  return fmt::format("shardId-{:020}-{:08x}", begin.time_ms, (hash & ~uint32_t{15}) | number);
}

std::optional<LogMoment> EndOf(const StreamDefinition& stream, size_t generation) {
  if (generation + 1 < stream.generations.size()) return stream.generations[generation + 1];
  return stream.end;
}

StreamShard MakeShard(const StreamDefinition& stream, size_t generation, uint8_t number) {
  StreamShard shard;
  shard.number = number;
  shard.begin = stream.generations[generation];
  shard.end = EndOf(stream, generation);
  shard.id = ShardId(stream, shard.begin, number);
  if (generation > 0) {
    shard.parent_id = ShardId(stream, stream.generations[generation - 1], number);
  }
  return shard;
}

}  // namespace

// The moment of an end is that of the commit that rolled the shards over or ended the stream. It
// changed no item, and what was committed before has a smaller sequence.
std::optional<encoding::ChangePosition> StreamShard::Last() const {
  if (!end) return std::nullopt;
  return encoding::ChangePosition{end->time_ms, end->sequence - 1, kMaxPosition};
}

bool StreamShard::Contains(const encoding::ChangePosition& position) const {
  return First() <= position && (!end || position <= *Last());
}

std::vector<StreamShard> ShardsOf(const StreamDefinition& stream, int64_t trimmed_before_ms) {
  std::vector<StreamShard> shards;
  for (size_t generation = 0; generation < stream.generations.size(); ++generation) {
    const std::optional<LogMoment> end = EndOf(stream, generation);
    if (end && end->time_ms < trimmed_before_ms) continue;
    for (uint8_t number = 0; number < encoding::kShards; ++number) {
      shards.push_back(MakeShard(stream, generation, number));
    }
  }
  std::sort(shards.begin(), shards.end(),
            [](const StreamShard& a, const StreamShard& b) { return a.id < b.id; });
  return shards;
}

std::optional<StreamShard> FindShard(const StreamDefinition& stream, const LogMoment& generation,
                                     uint8_t number) {
  const auto found = std::find(stream.generations.begin(), stream.generations.end(), generation);
  if (found == stream.generations.end() || number >= encoding::kShards) return std::nullopt;
  return MakeShard(stream, static_cast<size_t>(found - stream.generations.begin()), number);
}

}  // namespace monotable::operations

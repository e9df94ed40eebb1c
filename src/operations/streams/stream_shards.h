#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "encoding/keyspace.h"
#include "table/definition.h"

// The shards of a stream. A generation has one per shard of the change log; when they are rolled
// over, each is closed and continued by the one of the same number in the next generation, its
// child.
namespace monotable::operations {

struct StreamShard {
  std::string id;
  std::optional<std::string> parent_id;
  uint8_t number = 0;  // of the shard of the change log
  table::LogMoment begin;
  std::optional<table::LogMoment> end;  // nothing: it is open

  // The places that its records can have: from the first on, up to the last if it is closed.
  encoding::ChangePosition First() const { return {begin.time_ms, begin.sequence, 0}; }
  std::optional<encoding::ChangePosition> Last() const;
  bool Contains(const encoding::ChangePosition& position) const;
};

// The shards that can hold records of the time trimmed_before_ms or later, sorted by id, which is
// by age. A shard names its parent even if that has been trimmed.
std::vector<StreamShard> ShardsOf(const table::StreamDefinition& stream, int64_t trimmed_before_ms);

// nullopt if the stream has no such shard, or has no more.
std::optional<StreamShard> FindShard(const table::StreamDefinition& stream,
                                     const table::LogMoment& generation, uint8_t number);

}  // namespace monotable::operations

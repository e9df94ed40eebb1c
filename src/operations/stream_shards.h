#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "encoding/keyspace.h"
#include "engine/engine.h"
#include "error/result.h"
#include "storage/store.h"
#include "table/definition.h"

// What streams are made of: sequence numbers, shards, and the records of a shard at one moment of
// the store.
namespace monotable::operations {

// Sequence numbers of stream records: the place of a change in the log as 35 digits. Sequence
// numbers sort by commit, as numbers and as texts.

// The highest place within a commit that has a sequence number. No request writes as many items.
inline constexpr uint32_t kMaxPosition = 9999;

std::string FormatSequenceNumber(const encoding::ChangePosition& position);
// nullopt if the text is not a sequence number of this server.
std::optional<encoding::ChangePosition> ParseSequenceNumber(std::string_view text);

// A shard of a stream. A generation has one shard for each shard of the change log. When shards are
// rolled over, each is closed and continued by its child: the shard of the same number in the next
// generation.
struct StreamShard {
  std::string id;
  std::optional<std::string> parent_id;
  uint8_t number = 0;  // of the shard of the change log
  table::LogMoment begin;
  std::optional<table::LogMoment> end;  // nothing: it is open

  // The first and the last place that a record of the shard can have. An open shard has no last
  // place.
  encoding::ChangePosition First() const { return {begin.time_ms, begin.sequence, 0}; }
  std::optional<encoding::ChangePosition> Last() const;
  bool Contains(const encoding::ChangePosition& position) const;
};

// The shards that can hold records of the time trimmed_before_ms or later, sorted by id, which is
// the order of their age. A shard names its parent even if the parent has been trimmed.
std::vector<StreamShard> ShardsOf(const table::StreamDefinition& stream, int64_t trimmed_before_ms);

// The shard of a generation and number; nullopt if the stream does not have it, or no longer.
std::optional<StreamShard> FindShard(const table::StreamDefinition& stream,
                                     const table::LogMoment& generation, uint8_t number);

// A stream of a table.
struct TableStream {
  std::string arn;
  engine::TablePtr table;
  const table::StreamDefinition* definition;  // in the table's
};

// All streams and their logs at one moment of the store. The catalog in memory does not serve,
// because it shows the roll-over or the end of a stream as soon as it is decided. Changes that were
// decided before can still be on their way to the disk then, and a reader would leave the shard too
// early. For one thread.
class StreamMoment {
 public:
  explicit StreamMoment(engine::Engine& engine);

  // The streams of one table, or of all tables, sorted by ARN.
  Result<std::vector<TableStream>> StreamsOf(std::string_view table_name) const;
  Result<std::vector<TableStream>> AllStreams() const;
  // The stream of an ARN; kResourceNotFound if it does not exist, or no longer.
  Result<TableStream> Find(std::string_view arn) const;

  const storage::Reader& reader() const { return *reader_; }
  int64_t now_ms() const { return now_ms_; }
  // Records from before this time are not shown, even while they are still stored.
  int64_t trimmed_before_ms() const;

 private:
  // Each of these functions adds the streams of the tables that it finds.
  Status AddTable(std::string_view name, std::vector<TableStream>* streams) const;
  Status AddTables(const storage::Range& definitions, std::string_view name,
                   std::vector<TableStream>* streams) const;
  Status AddDefinition(std::string_view record, std::string_view name,
                       std::vector<TableStream>* streams) const;

  const engine::Engine& engine_;
  int64_t now_ms_;
  std::unique_ptr<storage::Reader> reader_;
};

// The records of a shard in the change log, from a place on.
storage::Range RecordsOf(const TableStream& stream, const StreamShard& shard,
                         const encoding::ChangePosition& from);

// The place of the record that a cursor stands on.
Result<encoding::ChangePosition> PositionOf(const storage::Cursor& cursor);

// The first place that a record can have after another place.
encoding::ChangePosition After(const encoding::ChangePosition& position);

Error TrimmedDataAccess();

}  // namespace monotable::operations

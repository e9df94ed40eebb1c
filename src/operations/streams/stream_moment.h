#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "encoding/keyspace.h"
#include "engine/engine.h"
#include "error/result.h"
#include "storage/store.h"
#include "table/definition.h"

namespace monotable::operations {

// A stream of a table.
struct TableStream {
  std::string arn;
  engine::TablePtr table;
  const table::StreamDefinition* definition;  // in the table's
};

// All streams and their logs at one moment of the store. The catalog in memory would not do: it
// knows of a roll-over or an end as soon as that is decided, when changes that were decided before
// can still be on their way to the disk, and a reader would take leave of a shard too early.
// For one thread.
class StreamMoment {
 public:
  explicit StreamMoment(engine::Engine& engine);

  // Those of one table or of all, sorted by ARN.
  Result<std::vector<TableStream>> StreamsOf(std::string_view table_name) const;
  Result<std::vector<TableStream>> AllStreams() const;
  // kResourceNotFound if there is no such stream, or none any more.
  Result<TableStream> Find(std::string_view arn) const;

  const storage::Reader& reader() const { return *reader_; }
  int64_t now_ms() const { return now_ms_; }
  // Records from before this time are not shown, even while they are still stored.
  int64_t trimmed_before_ms() const;

 private:
  // Each adds the streams of the tables that it finds.
  Status AddTable(std::string_view name, std::vector<TableStream>* streams) const;
  Status AddTables(const storage::Range& definitions, std::string_view name,
                   std::vector<TableStream>* streams) const;
  Status AddDefinition(std::string_view record, std::string_view name,
                       std::vector<TableStream>* streams) const;

  const engine::Engine& engine_;
  int64_t now_ms_;
  std::unique_ptr<storage::Reader> reader_;
};

}  // namespace monotable::operations

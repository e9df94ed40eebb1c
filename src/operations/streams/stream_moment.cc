#include "operations/streams/stream_moment.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "encoding/stored_definition.h"
#include "engine/change_log.h"

namespace monotable::operations {
namespace {

constexpr std::string_view kAnyTable = "";

void SortByArn(std::vector<TableStream>* streams) {
  std::sort(streams->begin(), streams->end(),
            [](const TableStream& a, const TableStream& b) { return a.arn < b.arn; });
}

// A clock that stands still can give streams of a table and of its successor the same name; the
// newest is meant.
const TableStream* FindByArn(const std::vector<TableStream>& streams, std::string_view arn) {
  const auto found = std::find_if(streams.rbegin(), streams.rend(),
                                  [arn](const TableStream& stream) { return stream.arn == arn; });
  return found == streams.rend() ? nullptr : &*found;
}

}  // namespace

StreamMoment::StreamMoment(engine::Engine& engine)
    : engine_(engine), now_ms_(engine.clock().NowMs()), reader_(engine.store().Snapshot()) {}

int64_t StreamMoment::trimmed_before_ms() const {
  return now_ms_ - engine::kStreamLifeMs;
}

Status StreamMoment::AddDefinition(std::string_view record, std::string_view name,
                                   std::vector<TableStream>* streams) const {
  TRY_ASSIGN(auto definition, encoding::DecodeDefinition(record));
  if (name != kAnyTable && definition.name != name) return {};
  const auto table = std::make_shared<const table::TableDefinition>(std::move(definition));
  for (const table::StreamDefinition& stream : table->streams) {
    if (stream.end && stream.end->time_ms < trimmed_before_ms()) continue;
    streams->push_back(
        {fmt::format("{}/stream/{}", engine_.TableArn(table->name), stream.label), table, &stream});
  }
  return {};
}

Status StreamMoment::AddTable(std::string_view name, std::vector<TableStream>* streams) const {
  std::string record;
  TRY_ASSIGN(const bool found, reader_->Get(encoding::CatalogKey(name), &record));
  return found ? AddDefinition(record, name, streams) : Status();
}

Status StreamMoment::AddTables(const storage::Range& definitions, std::string_view name,
                               std::vector<TableStream>* streams) const {
  const auto cursor = reader_->Scan(definitions, storage::Direction::kForward);
  for (; cursor->Valid(); cursor->Next()) TRY(AddDefinition(cursor->value(), name, streams));
  return cursor->status();
}

Result<std::vector<TableStream>> StreamMoment::StreamsOf(std::string_view table_name) const {
  std::vector<TableStream> streams;
  TRY(AddTable(table_name, &streams));
  TRY(AddTables(encoding::DroppedTablesRange(), table_name, &streams));
  SortByArn(&streams);
  return streams;
}

Result<std::vector<TableStream>> StreamMoment::AllStreams() const {
  std::vector<TableStream> streams;
  TRY(AddTables(encoding::CatalogRange(), kAnyTable, &streams));
  TRY(AddTables(encoding::DroppedTablesRange(), kAnyTable, &streams));
  SortByArn(&streams);
  return streams;
}

// A stream is read again and again, most often that of a table that is there.
Result<TableStream> StreamMoment::Find(std::string_view arn) const {
  const std::string_view table_name = engine::Engine::TableNameOf(arn);
  std::vector<TableStream> streams;
  TRY(AddTable(table_name, &streams));
  if (FindByArn(streams, arn) == nullptr) {
    TRY(AddTables(encoding::DroppedTablesRange(), table_name, &streams));
  }
  if (const TableStream* stream = FindByArn(streams, arn)) return *stream;
  return Error(ErrorCode::kResourceNotFound,
               fmt::format("Requested resource not found: Stream: {} not found", arn));
}

}  // namespace monotable::operations

#include "operations/stream_shards.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <xxhash.h>

#include "encoding/stored_definition.h"
#include "engine/change_log.h"
#include "text/characters.h"

namespace monotable::operations {
namespace {

constexpr size_t kTimeDigits = 13;
constexpr size_t kSequenceDigits = 18;
constexpr size_t kPositionDigits = 4;

// Takes a number of the given count of digits off the front of *text, which has at least as many.
template <typename Integer>
void TakeDigits(size_t digits, std::string_view* text, Integer* number) {
  std::from_chars(text->data(), text->data() + digits, *number);
  text->remove_prefix(digits);
}

}  // namespace

std::string FormatSequenceNumber(const encoding::ChangePosition& position) {
  return fmt::format("{:0{}}{:0{}}{:0{}}", position.time_ms, kTimeDigits, position.sequence,
                     kSequenceDigits, position.position, kPositionDigits);
}

std::optional<encoding::ChangePosition> ParseSequenceNumber(std::string_view text) {
  if (text.size() != kTimeDigits + kSequenceDigits + kPositionDigits) return std::nullopt;
  if (!std::all_of(text.begin(), text.end(), text::IsDigit)) {
    return std::nullopt;
  }
  encoding::ChangePosition position;
  TakeDigits(kTimeDigits, &text, &position.time_ms);
  TakeDigits(kSequenceDigits, &text, &position.sequence);
  TakeDigits(kPositionDigits, &text, &position.position);
  return position;
}

namespace {

using table::LogMoment;
using table::StreamDefinition;

// The id has the form of the service: the time at which the shard began, and digits that tell the
// shard from its siblings. The digits follow from stored data, so they never change.
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

// The end of a shard is the commit that rolled the shards over or ended the stream. That commit
// changed no item, and commits before it have smaller sequences.
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

namespace {

constexpr std::string_view kAnyTable;

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

// Streams are read again and again, most often streams of tables that exist; these are looked up
// first.
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

using encoding::ChangePosition;

storage::Range RecordsOf(const TableStream& stream, const StreamShard& shard,
                         const ChangePosition& from) {
  const uint32_t table_id = stream.table->id;
  storage::Range range;
  range.begin = encoding::ChangeKey(table_id, shard.number, from);
  range.end = shard.end ? encoding::ChangeKey(table_id, shard.number,
                                              {shard.end->time_ms, shard.end->sequence, 0})
                        : encoding::ChangesRange(table_id, shard.number).end;
  range.begin = std::min(range.begin, range.end);
  return range;
}

Result<ChangePosition> PositionOf(const storage::Cursor& cursor) {
  const auto position = encoding::DecodeChangeKey(cursor.key());
  if (!position) return Error::Internal("A key of the change log is damaged");
  return *position;
}

ChangePosition After(const ChangePosition& position) {
  return {position.time_ms, position.sequence, position.position + 1};
}

Error TrimmedDataAccess() {
  return Error(ErrorCode::kTrimmedDataAccess, "The data you are trying to access has been trimmed");
}

}  // namespace monotable::operations

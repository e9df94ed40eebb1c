#include "operations/streams.h"

#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <xxhash.h>

#include "api/dynamodb/codecs.h"
#include "api/dynamodb/operation.h"
#include "api/dynamodb/table_parameters.h"
#include "encoding/varint.h"
#include "json/base64.h"
#include "table/definition.h"
#include "wire/attribute_value.h"
#include "wire/table_json.h"

namespace monotable::api::dynamodb {
namespace shapes {
namespace {

constexpr Shape kStreamArn = Bounded(Kind::kString, 37, 1024);
constexpr Shape kShardId = Bounded(Kind::kString, 28, 65);
constexpr Shape kSequenceNumber = Bounded(Kind::kString, 21, 40);
constexpr Shape kShardIterator = Bounded(Kind::kString, 1, 2048);
constexpr Shape kPageLimit = Bounded(Kind::kInteger, 1, 100);
constexpr Shape kRecordLimit = Bounded(Kind::kInteger, 1, 1000);

constexpr std::string_view kIteratorTypeNames[] = {"AFTER_SEQUENCE_NUMBER", "LATEST",
                                                   "AT_SEQUENCE_NUMBER", "TRIM_HORIZON"};
constexpr std::string_view kShardFilterNames[] = {"CHILD_SHARDS"};
constexpr Shape kIteratorType = Enumeration(kIteratorTypeNames);
constexpr Shape kShardFilterType = Enumeration(kShardFilterNames);

constexpr Member kListStreamsMembers[] = {
    {"TableName", &kTableName},
    {"Limit", &kPageLimit},
    {"ExclusiveStartStreamArn", &kStreamArn},
};

constexpr Member kShardFilterMembers[] = {
    {"Type", &kShardFilterType},
    {"ShardId", &kShardId},
};
constexpr Shape kShardFilter = Structure("ShardFilter", kShardFilterMembers);
constexpr Member kDescribeStreamMembers[] = {
    {"StreamArn", &kStreamArn, true},
    {"Limit", &kPageLimit},
    {"ExclusiveStartShardId", &kShardId},
    {"ShardFilter", &kShardFilter},
};

constexpr Member kGetShardIteratorMembers[] = {
    {"StreamArn", &kStreamArn, true},
    {"ShardId", &kShardId, true},
    {"ShardIteratorType", &kIteratorType, true},
    {"SequenceNumber", &kSequenceNumber},
};

constexpr Member kGetRecordsMembers[] = {
    {"ShardIterator", &kShardIterator, true},
    {"Limit", &kRecordLimit},
};

constexpr Shape kListStreams = Structure("ListStreamsInput", kListStreamsMembers);
constexpr Shape kDescribeStream = Structure("DescribeStreamInput", kDescribeStreamMembers);
constexpr Shape kGetShardIterator = Structure("GetShardIteratorInput", kGetShardIteratorMembers);
constexpr Shape kGetRecords = Structure("GetRecordsInput", kGetRecordsMembers);

}  // namespace
}  // namespace shapes

namespace {

using operations::ShardIterator;

constexpr std::string_view kVersion = "|1|";

// The seed is not secret, but other programs do not compute this sum by chance.
constexpr XXH64_hash_t kSeed = 0x6d6f6e6f7461626c;
constexpr size_t kChecksumBytes = sizeof(XXH64_canonical_t);

std::string Checksum(std::string_view arn, std::string_view members) {
  std::string all(arn);
  all.append(members);
  XXH64_canonical_t bytes;
  XXH64_canonicalFromHash(&bytes, XXH3_64bits_withSeed(all.data(), all.size(), kSeed));
  return std::string(std::begin(bytes.digest), std::end(bytes.digest));
}

std::string EncodeMembers(const ShardIterator& iterator) {
  std::string members;
  encoding::AppendVarint(iterator.shard, &members);
  encoding::AppendVarint(iterator.at_record ? 1 : 0, &members);
  encoding::AppendVarint(static_cast<uint64_t>(iterator.generation.time_ms), &members);
  encoding::AppendVarint(iterator.generation.sequence, &members);
  encoding::AppendVarint(static_cast<uint64_t>(iterator.next.time_ms), &members);
  encoding::AppendVarint(iterator.next.sequence, &members);
  encoding::AppendVarint(iterator.next.position, &members);
  encoding::AppendVarint(static_cast<uint64_t>(iterator.created_at_ms), &members);
  return members;
}

template <typename Integer>
bool Take(std::string_view* members, Integer* value) {
  uint64_t number = 0;
  if (!encoding::ReadVarint(members, &number)) return false;
  *value = static_cast<Integer>(number);
  return true;
}

bool DecodeMembers(std::string_view members, ShardIterator* iterator) {
  return Take(&members, &iterator->shard) && Take(&members, &iterator->at_record) &&
         Take(&members, &iterator->generation.time_ms) &&
         Take(&members, &iterator->generation.sequence) &&
         Take(&members, &iterator->next.time_ms) && Take(&members, &iterator->next.sequence) &&
         Take(&members, &iterator->next.position) && Take(&members, &iterator->created_at_ms) &&
         members.empty();
}

std::optional<ShardIterator> Parse(std::string_view text) {
  const size_t version = text.rfind(kVersion);
  if (version == std::string_view::npos) return std::nullopt;
  const auto record = json::DecodeBase64(text.substr(version + kVersion.size()));
  if (!record) return std::nullopt;
  ShardIterator iterator;
  iterator.stream_arn = text.substr(0, version);
  if (record->size() < kChecksumBytes) return std::nullopt;
  const std::string_view checksum = std::string_view(*record).substr(0, kChecksumBytes);
  const std::string_view members = std::string_view(*record).substr(kChecksumBytes);
  if (checksum != Checksum(iterator.stream_arn, members)) return std::nullopt;
  if (!DecodeMembers(members, &iterator)) return std::nullopt;
  return iterator;
}

}  // namespace

std::string ShardIteratorText(const ShardIterator& iterator) {
  const std::string members = EncodeMembers(iterator);
  const std::string record = Checksum(iterator.stream_arn, members) + members;
  std::string text = iterator.stream_arn;
  text.append(kVersion);
  json::AppendBase64(record, &text);
  return text;
}

Result<ShardIterator> ParseShardIterator(std::string_view text) {
  auto iterator = Parse(text);
  if (!iterator) return Error::Validation("Invalid ShardIterator");
  return std::move(*iterator);
}

namespace {

using operations::ShardIteratorType;

constexpr EnumName<ShardIteratorType> kIteratorTypes[] = {
    {"TRIM_HORIZON", ShardIteratorType::kTrimHorizon},
    {"LATEST", ShardIteratorType::kLatest},
    {"AT_SEQUENCE_NUMBER", ShardIteratorType::kAtSequenceNumber},
    {"AFTER_SEQUENCE_NUMBER", ShardIteratorType::kAfterSequenceNumber}};

}  // namespace

Result<operations::ListStreamsRequest> DecodeListStreams(const json::Object& body) {
  const Fields fields(body);
  operations::ListStreamsRequest request;
  if (const auto name = fields.OptionalText("TableName")) {
    request.table_name = engine::Engine::TableNameOf(*name);
  }
  request.exclusive_start_stream_arn = fields.OptionalText("ExclusiveStartStreamArn");
  request.limit = fields.OptionalInteger("Limit");
  return request;
}

Result<operations::DescribeStreamRequest> DecodeDescribeStream(const json::Object& body) {
  const Fields fields(body);
  operations::DescribeStreamRequest request;
  request.stream_arn = fields.Text("StreamArn");
  request.exclusive_start_shard_id = fields.OptionalText("ExclusiveStartShardId");
  request.limit = fields.OptionalInteger("Limit");
  if (const auto element = fields.Find("ShardFilter")) {
    const Fields filter(*element);
    if (!filter.Has("Type") || !filter.Has("ShardId")) {
      return Error::Validation("ShardFilter must have both a Type and a ShardId");
    }
    request.children_of = filter.Text("ShardId");
  }
  return request;
}

Result<operations::GetShardIteratorRequest> DecodeGetShardIterator(const json::Object& body) {
  const Fields fields(body);
  return operations::GetShardIteratorRequest{
      fields.Text("StreamArn"), fields.Text("ShardId"),
      *fields.OptionalEnum("ShardIteratorType", kIteratorTypes),
      fields.OptionalText("SequenceNumber")};
}

Result<operations::GetRecordsRequest> DecodeGetRecords(const json::Object& body) {
  const Fields fields(body);
  TRY_ASSIGN(auto iterator, ParseShardIterator(fields.Text("ShardIterator")));
  return operations::GetRecordsRequest{std::move(iterator), fields.OptionalInteger("Limit")};
}

namespace {

// About how many bytes a record takes on the wire without its images.
constexpr size_t kRecordFrame = 512;

std::string_view EventName(engine::ChangeEvent event) {
  switch (event) {
    case engine::ChangeEvent::kInsert:
      return "INSERT";
    case engine::ChangeEvent::kModify:
      return "MODIFY";
    case engine::ChangeEvent::kRemove:
      break;
  }
  return "REMOVE";
}

void EncodeShard(const operations::StreamShard& shard, json::Writer* writer) {
  writer->BeginObject().Key("ShardId").String(shard.id);
  writer->Key("SequenceNumberRange").BeginObject();
  writer->Key("StartingSequenceNumber").String(operations::FormatSequenceNumber(shard.First()));
  if (const auto last = shard.Last()) {
    writer->Key("EndingSequenceNumber").String(operations::FormatSequenceNumber(*last));
  }
  writer->EndObject();
  if (shard.parent_id) writer->Key("ParentShardId").String(*shard.parent_id);
  writer->EndObject();
}

void EncodeImage(std::string_view name, const std::optional<encoding::EncodedItem>& image,
                 json::Writer* writer) {
  if (!image) return;
  writer->Key(name);
  wire::EncodeItem(encoding::ItemView(*image), writer);
}

size_t ExpectedSizeOf(const operations::GetRecordsResponse& response) {
  size_t size = kRecordFrame;
  for (const operations::StreamRecord& record : response.records) {
    size += kRecordFrame;
    for (const auto* image : {&record.new_image, &record.old_image}) {
      if (*image) size += wire::ExpectedSize(encoding::ItemView(**image));
    }
  }
  return size;
}

void EncodeRecord(const operations::GetRecordsResponse& response,
                  const operations::StreamRecord& record, json::Writer* writer) {
  writer->BeginObject().Key("eventID").String(record.event_id);
  writer->Key("eventName").String(EventName(record.event));
  writer->Key("eventVersion").String("1.1");
  writer->Key("eventSource").String("aws:dynamodb");
  writer->Key("awsRegion").String(response.region);
  writer->Key("dynamodb").BeginObject();
  writer->Key("ApproximateCreationDateTime").Integer(record.position.time_ms / 1000);
  writer->Key("Keys");
  wire::EncodeItem(record.keys, writer);
  EncodeImage("NewImage", record.new_image, writer);
  EncodeImage("OldImage", record.old_image, writer);
  writer->Key("SequenceNumber").String(operations::FormatSequenceNumber(record.position));
  writer->Key("SizeBytes").Integer(static_cast<int64_t>(record.size_bytes));
  writer->Key("StreamViewType").String(table::StreamViewName(response.view_type)).EndObject();
  if (record.origin == engine::ChangeOrigin::kTimeToLive) {
    writer->Key("userIdentity").BeginObject().Key("PrincipalId").String("dynamodb.amazonaws.com");
    writer->Key("Type").String("Service").EndObject();
  }
  writer->EndObject();
}

}  // namespace

void EncodeListStreams(const operations::ListStreamsResponse& response, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject();
  if (response.last_evaluated_stream_arn) {
    writer.Key("LastEvaluatedStreamArn").String(*response.last_evaluated_stream_arn);
  }
  writer.Key("Streams").BeginArray();
  for (const auto& stream : response.streams) {
    writer.BeginObject().Key("StreamArn").String(stream.arn);
    writer.Key("TableName").String(stream.table_name);
    writer.Key("StreamLabel").String(stream.label).EndObject();
  }
  writer.EndArray().EndObject();
}

void EncodeDescribeStream(const operations::StreamDescription& stream, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject().Key("StreamDescription").BeginObject();
  writer.Key("StreamArn").String(stream.arn);
  writer.Key("StreamLabel").String(stream.label);
  writer.Key("StreamStatus").String(stream.enabled ? "ENABLED" : "DISABLED");
  writer.Key("StreamViewType").String(table::StreamViewName(stream.view_type));
  EncodeTime("CreationRequestDateTime", stream.created_at_ms, &writer);
  writer.Key("TableName").String(stream.table_name);
  wire::WriteKeySchema(stream.key, &writer);
  writer.Key("Shards").BeginArray();
  for (const operations::StreamShard& shard : stream.shards) EncodeShard(shard, &writer);
  writer.EndArray();
  if (stream.last_evaluated_shard_id) {
    writer.Key("LastEvaluatedShardId").String(*stream.last_evaluated_shard_id);
  }
  writer.EndObject().EndObject();
}

void EncodeGetShardIterator(const operations::ShardIterator& iterator, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject().Key("ShardIterator").String(ShardIteratorText(iterator)).EndObject();
}

void EncodeGetRecords(const operations::GetRecordsResponse& response, std::string* out) {
  out->reserve(out->size() + ExpectedSizeOf(response));
  json::Writer writer(out);
  writer.BeginObject();
  if (response.next) writer.Key("NextShardIterator").String(ShardIteratorText(*response.next));
  writer.Key("Records").BeginArray();
  for (const operations::StreamRecord& record : response.records) {
    EncodeRecord(response, record, &writer);
  }
  writer.EndArray().EndObject();
}

std::span<const Operation> StreamOperations() {
  static constexpr Operation kOperations[] = {
      {"GetRecords", shapes::kGetRecords, Place::kInline,
       Returning<DecodeGetRecords, operations::GetRecords, EncodeGetRecords>},
      {"GetShardIterator", shapes::kGetShardIterator, Place::kWorker,
       Returning<DecodeGetShardIterator, operations::GetShardIterator, EncodeGetShardIterator>},
      {"DescribeStream", shapes::kDescribeStream, Place::kWorker,
       Returning<DecodeDescribeStream, operations::DescribeStream, EncodeDescribeStream>},
      {"ListStreams", shapes::kListStreams, Place::kWorker,
       Returning<DecodeListStreams, operations::ListStreams, EncodeListStreams>},
  };
  return kOperations;
}

}  // namespace monotable::api::dynamodb

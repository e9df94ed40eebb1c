#include "api/dynamodb/attribute_value.h"
#include "api/dynamodb/encode.h"
#include "api/dynamodb/encode_table_description.h"
#include "api/dynamodb/shard_iterator_text.h"
#include "json/json_writer.h"
#include "operations/streams/sequence_number.h"
#include "table/definition.h"

namespace monotable::api::dynamodb {
namespace {

// What a record takes on the wire besides its images.
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
  EncodeItem(encoding::ItemView(*image), writer);
}

size_t ExpectedSizeOf(const operations::GetRecordsResponse& response) {
  size_t size = kRecordFrame;
  for (const operations::StreamRecord& record : response.records) {
    size += kRecordFrame;
    for (const auto* image : {&record.new_image, &record.old_image}) {
      if (*image) size += ExpectedSize(encoding::ItemView(**image));
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
  EncodeItem(record.keys, writer);
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
  EncodeKeySchema(stream.key, &writer);
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

}  // namespace monotable::api::dynamodb

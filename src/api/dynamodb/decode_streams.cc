#include <utility>

#include "api/dynamodb/decode.h"
#include "api/dynamodb/fields.h"
#include "api/dynamodb/shard_iterator_text.h"

namespace monotable::api::dynamodb {
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

}  // namespace monotable::api::dynamodb

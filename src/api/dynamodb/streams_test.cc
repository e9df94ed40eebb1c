#include <gtest/gtest.h>

#include "api/dynamodb/codecs.h"
#include "api/dynamodb/codecs_for_tests.h"
#include "api/dynamodb/operation_table.h"

// The streams API on the wire.
namespace monotable::api::dynamodb {
namespace {

constexpr std::string_view kArn =
    "arn:aws:dynamodb:us-east-1:000000000000:table/books/stream/2027-01-15T08:00:00.000";

operations::ShardIterator SampleIterator() {
  operations::ShardIterator iterator;
  iterator.stream_arn = kArn;
  iterator.generation = {1'800'000'000'000, 41};
  iterator.shard = 3;
  iterator.next = {1'800'000'000'123, 77, 12};
  iterator.at_record = true;
  iterator.created_at_ms = 1'800'000'000'456;
  return iterator;
}

TEST(ShardIteratorTextTest, CanBeReadBack) {
  const std::string text = ShardIteratorText(SampleIterator());
  EXPECT_TRUE(text.starts_with(std::string(kArn) + "|1|")) << text;
  const auto parsed = ParseShardIterator(text);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, SampleIterator());
}

TEST(ShardIteratorTextTest, FitsTheModel) {
  operations::ShardIterator iterator = SampleIterator();
  iterator.stream_arn = std::string(1024, 'a');
  iterator.generation = {9'999'999'999'999, 999'999'999'999'999'999};
  iterator.next = {9'999'999'999'999, 999'999'999'999'999'999, 10'000};
  EXPECT_LE(ShardIteratorText(iterator).size(), 2048u);
}

TEST(ShardIteratorTextTest, RefusesWhatWasNotHandedOut) {
  const std::string text = ShardIteratorText(SampleIterator());
  for (size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    const auto parsed = ParseShardIterator(changed);
    ASSERT_FALSE(parsed) << i;
    EXPECT_EQ(parsed.error().message(), "Invalid ShardIterator");
    EXPECT_FALSE(ParseShardIterator(text.substr(0, i)));
  }
  for (const char* other : {"", "|1|", "a|1|", "x|1|AAAA", "no bars", "||||"}) {
    EXPECT_FALSE(ParseShardIterator(other)) << other;
  }
}

TEST(DecodeStreamsTest, GetShardIterator) {
  const Document body(R"({"StreamArn":"arn","ShardId":"shard","SequenceNumber":"12",)"
                      R"("ShardIteratorType":"AFTER_SEQUENCE_NUMBER"})");
  const auto request = DecodeGetShardIterator(body.object());
  ASSERT_TRUE(request);
  EXPECT_EQ(request->stream_arn, "arn");
  EXPECT_EQ(request->shard_id, "shard");
  EXPECT_EQ(request->type, operations::ShardIteratorType::kAfterSequenceNumber);
  EXPECT_EQ(request->sequence_number, "12");
}

TEST(DecodeStreamsTest, DescribeStream) {
  const Document body(R"({"StreamArn":"arn","Limit":7,"ExclusiveStartShardId":"s",)"
                      R"("ShardFilter":{"Type":"CHILD_SHARDS","ShardId":"p"}})");
  const auto request = DecodeDescribeStream(body.object());
  ASSERT_TRUE(request);
  EXPECT_EQ(request->limit, 7);
  EXPECT_EQ(request->exclusive_start_shard_id, "s");
  EXPECT_EQ(request->children_of, "p");
  const Document half(R"({"StreamArn":"arn","ShardFilter":{"Type":"CHILD_SHARDS"}})");
  EXPECT_FALSE(DecodeDescribeStream(half.object()));
}

TEST(DecodeStreamsTest, GetRecords) {
  const Document body(R"({"Limit":5,"ShardIterator":")" + ShardIteratorText(SampleIterator()) +
                      R"("})");
  const auto request = DecodeGetRecords(body.object());
  ASSERT_TRUE(request);
  EXPECT_EQ(request->iterator, SampleIterator());
  EXPECT_EQ(request->limit, 5);
}

TEST(DecodeStreamsTest, ListStreamsTakesATableByItsArn) {
  const Document body(
      R"({"TableName":"arn:aws:dynamodb:us-east-1:000000000000:table/books","Limit":3})");
  const auto request = DecodeListStreams(body.object());
  ASSERT_TRUE(request);
  EXPECT_EQ(request->table_name, "books");
}

TEST(EncodeStreamsTest, ListStreams) {
  operations::ListStreamsResponse response;
  EXPECT_EQ(Encoded<EncodeListStreams>(response), R"({"Streams":[]})");
  response.streams.push_back({"arn", "books", "label"});
  response.last_evaluated_stream_arn = "arn";
  EXPECT_EQ(Encoded<EncodeListStreams>(response),
            R"({"LastEvaluatedStreamArn":"arn","Streams":[{"StreamArn":"arn",)"
            R"("TableName":"books","StreamLabel":"label"}]})");
}

TEST(EncodeStreamsTest, DescribeStream) {
  operations::StreamDescription stream;
  stream.arn = "arn";
  stream.label = "label";
  stream.enabled = true;
  stream.view_type = table::StreamViewType::kOldImage;
  stream.created_at_ms = 1'800'000'000'042;
  stream.table_name = "books";
  stream.key.hash = {{"PK", item::Type::kString}};
  stream.key.range = {{"SK", item::Type::kString}};
  operations::StreamShard shard;
  shard.id = "child";
  shard.parent_id = "parent";
  shard.begin = {1'800'000'000'000, 5};
  stream.shards.push_back(shard);
  shard.parent_id.reset();
  shard.end = {1'800'000'000'009, 8};
  stream.shards.push_back(shard);
  stream.last_evaluated_shard_id = "child";
  EXPECT_EQ(Encoded<EncodeDescribeStream>(stream),
            R"({"StreamDescription":{"StreamArn":"arn","StreamLabel":"label",)"
            R"("StreamStatus":"ENABLED","StreamViewType":"OLD_IMAGE",)"
            R"("CreationRequestDateTime":1800000000.042,"TableName":"books","KeySchema":[)"
            R"({"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],)"
            R"("Shards":[{"ShardId":"child","SequenceNumberRange":{"StartingSequenceNumber":)"
            R"("18000000000000000000000000000050000"},"ParentShardId":"parent"},)"
            R"({"ShardId":"child","SequenceNumberRange":{"StartingSequenceNumber":)"
            R"("18000000000000000000000000000050000","EndingSequenceNumber":)"
            R"("18000000000090000000000000000079999"}}],"LastEvaluatedShardId":"child"}})");
}

TEST(EncodeStreamsTest, GetRecords) {
  operations::GetRecordsResponse response;
  EXPECT_EQ(Encoded<EncodeGetRecords>(response), R"({"Records":[]})");
  response.region = "us-east-1";
  response.view_type = table::StreamViewType::kNewAndOldImages;
  response.next = SampleIterator();
  operations::StreamRecord record;
  record.position = {1'800'000'000'999, 6, 1};
  record.event_id = "0123";
  record.event = engine::ChangeEvent::kModify;
  record.keys.Set("PK", item::Value("a"));
  item::Item image = record.keys;
  record.old_image = encoding::EncodeItem(image);
  image.Set("x", item::Value("y"));
  record.new_image = encoding::EncodeItem(image);
  record.size_bytes = 12;
  response.records.push_back(record);
  record.event = engine::ChangeEvent::kRemove;
  record.origin = engine::ChangeOrigin::kTimeToLive;
  record.new_image.reset();
  response.records.push_back(record);
  const std::string common =
      R"("eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":"us-east-1","dynamodb":)"
      R"({"ApproximateCreationDateTime":1800000000,"Keys":{"PK":{"S":"a"}},)";
  const std::string end =
      R"("OldImage":{"PK":{"S":"a"}},"SequenceNumber":"18000000009990000000000000000060001",)"
      R"("SizeBytes":12,"StreamViewType":"NEW_AND_OLD_IMAGES"})";
  EXPECT_EQ(Encoded<EncodeGetRecords>(response),
            R"({"NextShardIterator":")" + ShardIteratorText(SampleIterator()) +
                R"(","Records":[{"eventID":"0123","eventName":"MODIFY",)" + common +
                R"("NewImage":{"PK":{"S":"a"},"x":{"S":"y"}},)" + end +
                R"(},{"eventID":"0123","eventName":"REMOVE",)" + common + end +
                R"(,"userIdentity":{"PrincipalId":"dynamodb.amazonaws.com","Type":"Service"}}]})");
}

TEST(StreamsOperationsTest, HaveATargetOfTheirOwn) {
  for (const char* name : {"ListStreams", "DescribeStream", "GetShardIterator", "GetRecords"}) {
    EXPECT_NE(FindOperation("DynamoDBStreams_20120810." + std::string(name)), nullptr);
    EXPECT_EQ(FindOperation("DynamoDB_20120810." + std::string(name)), nullptr);
  }
}

}  // namespace
}  // namespace monotable::api::dynamodb

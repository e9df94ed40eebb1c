#include <set>

#include "engine/change_log.h"
#include "operations/streams_fixture.h"

// ListStreams and DescribeStream.
namespace monotable::operations {
namespace {

class DescribeStreamTest : public StreamsFixture {
 protected:
  std::vector<std::string> List(const ListStreamsRequest& request = {}) {
    const auto listed = ListStreams(engine(), request);
    EXPECT_TRUE(listed) << listed.error().message();
    std::vector<std::string> arns;
    for (const auto& stream : listed->streams) arns.push_back(stream.arn);
    return arns;
  }

  StreamDescription Describe(const DescribeStreamRequest& request) {
    auto described = DescribeStream(engine(), request);
    EXPECT_TRUE(described) << described.error().message();
    return described ? std::move(*described) : StreamDescription();
  }
};

TEST_F(DescribeStreamTest, ListsTheStreamsOfAllTablesOrOfOne) {
  EXPECT_TRUE(List().empty());
  ASSERT_TRUE(Create(catalog(), Definition("silent")));
  CreateStreaming("books");
  CreateStreaming("authors");
  const std::string first = ArnOf("books");
  Disable("books");
  Enable("books");
  EXPECT_EQ(List(), (std::vector{ArnOf("authors"), first, ArnOf("books")}));
  EXPECT_EQ(List({.table_name = "books", .exclusive_start_stream_arn = {}, .limit = {}}),
            (std::vector{first, ArnOf("books")}));
  EXPECT_TRUE(
      List({.table_name = "silent", .exclusive_start_stream_arn = {}, .limit = {}}).empty());
  EXPECT_TRUE(List({.table_name = "none", .exclusive_start_stream_arn = {}, .limit = {}}).empty());
}

TEST_F(DescribeStreamTest, ListsInPages) {
  for (const char* name : {"e", "b", "a", "d", "c"}) CreateStreaming(name);
  std::vector<std::string> arns;
  ListStreamsRequest request;
  request.limit = 2;
  int pages = 0;
  do {
    const auto page = ListStreams(engine(), request);
    ASSERT_TRUE(page);
    for (const auto& stream : page->streams) arns.push_back(stream.arn);
    request.exclusive_start_stream_arn = page->last_evaluated_stream_arn;
    ++pages;
  } while (request.exclusive_start_stream_arn);
  EXPECT_EQ(pages, 3);
  EXPECT_EQ(arns, List());
  EXPECT_EQ(arns.size(), 5u);
}

TEST_F(DescribeStreamTest, DescribesAStream) {
  CreateStreaming("books", View::kOldImage);
  const StreamDescription stream = Describe({ArnOf("books"), {}, {}, {}});
  EXPECT_EQ(stream.arn, ArnOf("books"));
  EXPECT_EQ(stream.label, Find("books")->latest_stream_label);
  EXPECT_TRUE(stream.enabled);
  EXPECT_EQ(stream.view_type, View::kOldImage);
  EXPECT_EQ(stream.created_at_ms, clock_.now_ms);
  EXPECT_EQ(stream.table_name, "books");
  EXPECT_EQ(stream.key, Find("books")->key);
  EXPECT_EQ(stream.shards.size(), encoding::kShards);
  EXPECT_FALSE(stream.last_evaluated_shard_id);
}

TEST_F(DescribeStreamTest, StreamsOfOneMillisecondHaveNamesOfTheirOwn) {
  CreateStreaming("books");
  for (int i = 0; i < 3; ++i) {
    Change("books", [](auto* table) { table->stream = {}; });
    Change("books", [this](auto* table) { StartStream(clock_.now_ms, View::kKeysOnly, table); });
  }
  const auto arns = List();
  EXPECT_EQ(std::set(arns.begin(), arns.end()).size(), 4u);
  EXPECT_EQ(arns.back(), ArnOf("books"));
}

TEST_F(DescribeStreamTest, ADisabledStreamHasClosedShards) {
  CreateStreaming("books");
  const std::string arn = ArnOf("books");
  Disable("books");
  const StreamDescription stream = Describe({arn, {}, {}, {}});
  EXPECT_FALSE(stream.enabled);
  for (const StreamShard& shard : stream.shards) EXPECT_TRUE(shard.Last());
}

TEST_F(DescribeStreamTest, NamesWhatItDoesNotFind) {
  CreateStreaming("books");
  const std::string arn = ArnOf("books") + "0";
  EXPECT_EQ(Refusal(DescribeStream(engine(), {arn, {}, {}, {}}), ErrorCode::kResourceNotFound),
            "Requested resource not found: Stream: " + arn + " not found");
  std::string elsewhere = ArnOf("books");
  elsewhere.replace(elsewhere.find("us-east-1"), 9, "eu-west-3");
  EXPECT_EQ(
      Refusal(DescribeStream(engine(), {elsewhere, {}, {}, {}}), ErrorCode::kResourceNotFound),
      "Requested resource not found: Stream: " + elsewhere + " not found");
}

TEST_F(DescribeStreamTest, ListsShardsInPages) {
  CreateStreaming("books");
  RollOver("books");
  RollOver("books");
  DescribeStreamRequest request;
  request.stream_arn = ArnOf("books");
  request.limit = 5;
  std::vector<std::string> ids;
  int pages = 0;
  do {
    const StreamDescription page = Describe(request);
    for (const StreamShard& shard : page.shards) ids.push_back(shard.id);
    request.exclusive_start_shard_id = page.last_evaluated_shard_id;
    ++pages;
  } while (request.exclusive_start_shard_id);
  EXPECT_EQ(pages, 3);
  EXPECT_EQ(ids.size(), 3u * encoding::kShards);
  EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), ids.size());
}

TEST_F(DescribeStreamTest, FindsTheChildrenOfAShard) {
  CreateStreaming("books");
  const auto parents = Shards(ArnOf("books"));
  RollOver("books");
  RollOver("books");
  for (const StreamShard& parent : parents) {
    const StreamDescription filtered = Describe({ArnOf("books"), {}, {}, parent.id});
    ASSERT_EQ(filtered.shards.size(), 1u);
    EXPECT_EQ(filtered.shards[0].parent_id, parent.id);
    EXPECT_EQ(filtered.shards[0].number, parent.number);
  }
  const std::string open = Shards(ArnOf("books")).back().id;
  EXPECT_TRUE(Describe({ArnOf("books"), {}, {}, open}).shards.empty());
}

TEST_F(DescribeStreamTest, AStreamGoesADayAfterItHasEnded) {
  CreateStreaming("books");
  const std::string arn = ArnOf("books");
  Disable("books");
  clock_.now_ms += engine::kStreamLifeMs;
  EXPECT_EQ(List(), std::vector{arn});
  NextMs();
  EXPECT_TRUE(List().empty());
  EXPECT_FALSE(DescribeStream(engine(), {arn, {}, {}, {}}));
}

TEST_F(DescribeStreamTest, TheStreamsOfADroppedTableStayForADay) {
  CreateStreaming("books");
  const std::string first = ArnOf("books");
  ASSERT_TRUE(Drop(catalog(), "books"));
  const StreamDescription stream = Describe({first, {}, {}, {}});
  EXPECT_FALSE(stream.enabled);
  EXPECT_EQ(stream.table_name, "books");

  CreateStreaming("books");
  EXPECT_EQ(List(), (std::vector{first, ArnOf("books")}));
  EXPECT_TRUE(Describe({ArnOf("books"), {}, {}, {}}).enabled);
  clock_.now_ms += engine::kStreamLifeMs + 1;
  EXPECT_EQ(List(), std::vector{ArnOf("books")});
}

TEST_F(DescribeStreamTest, ShardsGoADayAfterTheyWereClosed) {
  CreateStreaming("books");
  const auto old = Shards(ArnOf("books"));
  RollOver("books");
  clock_.now_ms += engine::kStreamLifeMs + 1;
  const auto shards = Shards(ArnOf("books"));
  ASSERT_EQ(shards.size(), encoding::kShards);
  std::set<std::string> parents;
  for (const StreamShard& shard : shards) parents.insert(shard.parent_id.value());
  for (const StreamShard& shard : old) EXPECT_TRUE(parents.contains(shard.id));
  EXPECT_EQ(Refusal(Iterator(ArnOf("books"), old[0]), ErrorCode::kResourceNotFound),
            "Requested resource not found: Shard does not exist");
}

}  // namespace
}  // namespace monotable::operations

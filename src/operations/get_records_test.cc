#include <set>

#include "engine/write.h"
#include "item/value.h"
#include "operations/streams_fixture.h"

// GetRecords: what a record shows, and how many of them an answer has.
namespace monotable::operations {
namespace {

using engine::ChangeEvent;

class GetRecordsTest : public StreamsFixture {
 protected:
  // Inserts, modifies and removes one item.
  Records Lifetime(View view) {
    const engine::TablePtr table = CreateStreaming("t", view);
    EXPECT_TRUE(Put(table, Thing("a", 1)));
    EXPECT_TRUE(Put(table, Thing("a", 2)));
    EXPECT_TRUE(Delete(table, Thing("a")));
    return ReadStream(ArnOf("t"));
  }

  void PutLarge(const std::string& key, size_t bytes) {
    item::Item item = Thing(key);
    item.Set("data", item::Value(std::string(bytes, 'x')));
    ASSERT_TRUE(Put(Find("t"), item));
  }
};

TEST_F(GetRecordsTest, NewAndOldImages) {
  const Records records = Lifetime(View::kNewAndOldImages);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].event, ChangeEvent::kInsert);
  EXPECT_EQ(records[1].event, ChangeEvent::kModify);
  EXPECT_EQ(records[2].event, ChangeEvent::kRemove);
  EXPECT_FALSE(records[0].old_image);
  EXPECT_EQ(NumberOf(records[0].new_image), 1);
  EXPECT_EQ(NumberOf(records[1].old_image), 1);
  EXPECT_EQ(NumberOf(records[1].new_image), 2);
  EXPECT_EQ(NumberOf(records[2].old_image), 2);
  EXPECT_FALSE(records[2].new_image);
  std::set<std::string> ids;
  for (const StreamRecord& record : records) {
    EXPECT_EQ(record.keys, Thing("a"));
    EXPECT_EQ(record.origin, engine::ChangeOrigin::kUser);
    EXPECT_EQ(record.position.time_ms, clock_.now_ms);
    EXPECT_EQ(record.event_id.size(), 32u);
    ids.insert(record.event_id);
  }
  EXPECT_EQ(ids.size(), 3u);
}

TEST_F(GetRecordsTest, NewImage) {
  const Records records = Lifetime(View::kNewImage);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(Numbers(records), (std::vector{1, 2, -1}));
  for (const StreamRecord& record : records) {
    EXPECT_FALSE(record.old_image);
    EXPECT_EQ(record.keys, Thing("a"));
  }
}

TEST_F(GetRecordsTest, OldImage) {
  const Records records = Lifetime(View::kOldImage);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_FALSE(records[0].old_image);
  EXPECT_EQ(NumberOf(records[1].old_image), 1);
  EXPECT_EQ(NumberOf(records[2].old_image), 2);
  for (const StreamRecord& record : records) {
    EXPECT_FALSE(record.new_image);
    EXPECT_EQ(record.keys, Thing("a"));
  }
}

TEST_F(GetRecordsTest, KeysOnly) {
  const Records records = Lifetime(View::kKeysOnly);
  ASSERT_EQ(records.size(), 3u);
  for (const StreamRecord& record : records) {
    EXPECT_EQ(record.keys, Thing("a"));
    EXPECT_FALSE(record.new_image);
    EXPECT_FALSE(record.old_image);
    EXPECT_EQ(record.size_bytes, item::SizeOf(record.keys));
  }
}

// Point-in-time recovery writes old images to the same log; they are not the stream's.
TEST_F(GetRecordsTest, ShowsNoImagesThatItsViewDoesNotHave) {
  table::TableDefinition definition = Definition("t");
  definition.point_in_time_recovery.enabled = true;
  StartStream(NextMs(), View::kKeysOnly, &definition);
  const engine::TablePtr table = *Create(catalog(), definition);
  ASSERT_TRUE(Put(table, Thing("a", 1)));
  ASSERT_TRUE(Put(table, Thing("a", 2)));
  const Records records = ReadStream(ArnOf("t"));
  ASSERT_EQ(records.size(), 2u);
  EXPECT_FALSE(records[1].old_image);
  EXPECT_EQ(records[1].keys, Thing("a"));
}

// The example of the developer guide: 26, 59 and 38 bytes.
TEST_F(GetRecordsTest, CountsBytesAsTheService) {
  table::TableDefinition definition = Definition("t");
  definition.attributes = {{"Id", item::Type::kNumber}};
  definition.key.hash = definition.attributes;
  StartStream(NextMs(), View::kNewAndOldImages, &definition);
  const engine::TablePtr table = *Create(catalog(), definition);
  item::Item item;
  item.Set("Id", item::Value(*item::Number::Parse("101")));
  const item::Item key = item;
  item.Set("Message", item::Value("New item!"));
  ASSERT_TRUE(Put(table, item));
  item.Set("Message", item::Value("This item has changed"));
  ASSERT_TRUE(Put(table, item));
  ASSERT_TRUE(Delete(table, key));
  const Records records = ReadStream(ArnOf("t"));
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].size_bytes, 26u);
  EXPECT_EQ(records[1].size_bytes, 59u);
  EXPECT_EQ(records[2].size_bytes, 38u);
}

TEST_F(GetRecordsTest, AWriteThatChangesNothingHasNoRecord) {
  const engine::TablePtr table = CreateStreaming("t");
  ASSERT_TRUE(Put(table, Thing("a", 1)));
  ASSERT_TRUE(Put(table, Thing("a", 1)));
  ASSERT_TRUE(Delete(table, Thing("b")));
  EXPECT_EQ(ReadStream(ArnOf("t")).size(), 1u);
}

TEST_F(GetRecordsTest, TellsDeletionsOfTimeToLive) {
  const engine::TablePtr table = CreateStreaming("t");
  ASSERT_TRUE(Put(table, Thing("a", 1)));
  engine::WriteRequest request;
  request.origin = engine::ChangeOrigin::kTimeToLive;
  engine::ItemWrite write;
  write.table = table;
  write.action = engine::WriteAction::kDelete;
  write.key = Thing("a");
  request.items.push_back(std::move(write));
  ASSERT_TRUE(engine::WriteAndWait(engine(), std::move(request)));
  const Records records = ReadStream(ArnOf("t"));
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].origin, engine::ChangeOrigin::kUser);
  EXPECT_EQ(records[1].origin, engine::ChangeOrigin::kTimeToLive);
}

TEST_F(GetRecordsTest, ItemsOfOneTransactionHaveSequenceNumbersOfTheirOwn) {
  const engine::TablePtr table = CreateStreaming("t");
  engine::WriteRequest request;
  for (int i = 0; i < 20; ++i) {
    engine::ItemWrite write;
    write.table = table;
    write.key = Thing("k" + std::to_string(i));
    write.put = encoding::EncodeItem(Thing("k" + std::to_string(i), i));
    request.items.push_back(std::move(write));
  }
  ASSERT_TRUE(engine::WriteAndWait(engine(), std::move(request)));
  const Records records = ReadStream(ArnOf("t"), 3);
  ASSERT_EQ(records.size(), 20u);
  std::set<encoding::ChangePosition> positions;
  std::set<std::string> ids;
  for (const StreamRecord& record : records) {
    positions.insert(record.position);
    ids.insert(record.event_id);
  }
  EXPECT_EQ(positions.size(), 20u);
  EXPECT_EQ(ids.size(), 20u);
}

TEST_F(GetRecordsTest, ReadsPageByPage) {
  CreateStreaming("t");
  std::vector<int> written;
  for (int i = 0; i < 10; ++i) {
    PutThing("t", "a", i);
    written.push_back(i);
  }
  for (const int64_t page : {1, 3, 10, 1000}) {
    EXPECT_EQ(Numbers(ReadStream(ArnOf("t"), page)), written) << page;
  }
}

TEST_F(GetRecordsTest, AnAnswerHasAtMostAThousandRecords) {
  CreateStreaming("t");
  for (int i = 0; i < 1001; ++i) PutThing("t", "a", i);
  for (const StreamShard& shard : Shards(ArnOf("t"))) {
    const auto page = GetRecords(engine(), {*Iterator(ArnOf("t"), shard), std::nullopt});
    ASSERT_TRUE(page);
    if (page->records.empty()) continue;
    EXPECT_EQ(page->records.size(), 1000u);
    const auto rest = GetRecords(engine(), {*page->next, std::nullopt});
    EXPECT_EQ(Numbers(rest->records), std::vector{1000});
  }
}

TEST_F(GetRecordsTest, AnAnswerHasAtMostAMegabyte) {
  CreateStreaming("t", View::kNewImage);
  for (int i = 0; i < 5; ++i) PutLarge("a", 400'000 + static_cast<size_t>(i));
  for (const StreamShard& shard : Shards(ArnOf("t"))) {
    std::optional<ShardIterator> next = *Iterator(ArnOf("t"), shard);
    std::vector<size_t> pages;
    while (next) {
      const auto page = GetRecords(engine(), {*next, std::nullopt});
      ASSERT_TRUE(page);
      if (page->records.empty()) break;
      pages.push_back(page->records.size());
      next = page->next;
    }
    if (pages.empty()) continue;
    EXPECT_EQ(pages, (std::vector<size_t>{2, 2, 1}));
  }
}

// Both images of the largest items.
TEST_F(GetRecordsTest, TheLargestRecordFits) {
  CreateStreaming("t");
  PutLarge("a", 409'000);
  PutLarge("a", 409'001);
  PutLarge("a", 409'002);
  EXPECT_EQ(ReadStream(ArnOf("t")).size(), 3u);
}

// Changes between two streams are in the log of a table that can be recovered.
TEST_F(GetRecordsTest, AStreamHasNothingFromBeforeItOrAfterIt) {
  CreateStreaming("t");
  const std::string first = ArnOf("t");
  Change("t", [](auto* table) { table->point_in_time_recovery.enabled = true; });
  PutThing("t", "a", 1);
  Disable("t");
  PutThing("t", "a", 2);
  Enable("t", View::kNewImage);
  PutThing("t", "a", 3);
  EXPECT_EQ(Numbers(ReadStream(first)), std::vector{1});
  EXPECT_EQ(Numbers(ReadStream(ArnOf("t"))), std::vector{3});
}

}  // namespace
}  // namespace monotable::operations

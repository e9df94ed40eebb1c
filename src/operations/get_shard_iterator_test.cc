#include "engine/change_log.h"
#include "operations/stream_shards.h"
#include "operations/streams_fixture.h"

// GetShardIterator, and what becomes of iterators with time.
namespace monotable::operations {
namespace {

using enum ShardIteratorType;

class ShardIteratorTest : public StreamsFixture {
 protected:
  ShardIteratorTest() { CreateStreaming("t"); }

  std::string arn() { return ArnOf("t"); }

  // The shard that the changes of this item are in.
  StreamShard ShardOf(const std::string& key) {
    const uint8_t number = encoding::ShardOf(encoding::ItemKey(*Find("t"), Thing(key)));
    for (const StreamShard& shard : Shards(arn())) {
      if (shard.number == number && !shard.end) return shard;
    }
    ADD_FAILURE() << "no open shard for " << key;
    return {};
  }

  std::vector<int> ReadNumbers(const Result<ShardIterator>& iterator) {
    EXPECT_TRUE(iterator) << iterator.error().message();
    std::optional<ShardIterator> from = *iterator;
    return Numbers(ReadFrom(&from));
  }

  std::string SequenceNumberOf(int number) {
    for (const StreamRecord& record : ReadStream(arn())) {
      if (NumberOf(record.new_image) == number) return FormatSequenceNumber(record.position);
    }
    return "";
  }

  std::string GetRefusal(const ShardIterator& iterator, ErrorCode code) {
    return Refusal(GetRecords(engine(), {iterator, std::nullopt}), code);
  }
};

TEST_F(ShardIteratorTest, TrimHorizonIsTheBeginning) {
  for (int i = 1; i <= 3; ++i) PutThing("t", "a", i);
  EXPECT_EQ(ReadNumbers(Iterator(arn(), ShardOf("a"))), (std::vector{1, 2, 3}));
}

TEST_F(ShardIteratorTest, LatestIsAfterEverythingCommitted) {
  const auto empty = Iterator(arn(), ShardOf("a"), kLatest);
  PutThing("t", "a", 1);
  PutThing("t", "a", 2);
  const auto latest = Iterator(arn(), ShardOf("a"), kLatest);
  EXPECT_EQ(ReadNumbers(latest), std::vector<int>());
  PutThing("t", "a", 3);
  EXPECT_EQ(ReadNumbers(latest), std::vector{3});
  EXPECT_EQ(ReadNumbers(empty), (std::vector{1, 2, 3}));
}

TEST_F(ShardIteratorTest, LatestOfAClosedShardIsItsEnd) {
  PutThing("t", "a", 1);
  const StreamShard shard = ShardOf("a");
  RollOver("t");
  PutThing("t", "a", 2);
  const auto page = GetRecords(engine(), {*Iterator(arn(), shard, kLatest), std::nullopt});
  ASSERT_TRUE(page);
  EXPECT_TRUE(page->records.empty());
  EXPECT_FALSE(page->next);
}

TEST_F(ShardIteratorTest, AtAndAfterASequenceNumber) {
  for (int i = 1; i <= 3; ++i) PutThing("t", "a", i);
  const StreamShard shard = ShardOf("a");
  const std::string second = SequenceNumberOf(2);
  EXPECT_EQ(ReadNumbers(Iterator(arn(), shard, kAtSequenceNumber, second)), (std::vector{2, 3}));
  EXPECT_EQ(ReadNumbers(Iterator(arn(), shard, kAfterSequenceNumber, second)), std::vector{3});
  const std::string start = FormatSequenceNumber(shard.First());
  EXPECT_EQ(ReadNumbers(Iterator(arn(), shard, kAtSequenceNumber, start)), (std::vector{1, 2, 3}));
}

TEST_F(ShardIteratorTest, ASequenceNumberGoesWithItsTypesOnly) {
  const StreamShard shard = ShardOf("a");
  const std::string start = FormatSequenceNumber(shard.First());
  EXPECT_EQ(Refusal(Iterator(arn(), shard, kAtSequenceNumber), ErrorCode::kValidation),
            "SequenceNumber must be specified when ShardIteratorType is AT_SEQUENCE_NUMBER or "
            "AFTER_SEQUENCE_NUMBER");
  EXPECT_EQ(Refusal(Iterator(arn(), shard, kLatest, start), ErrorCode::kValidation),
            "SequenceNumber can only be specified when ShardIteratorType is AT_SEQUENCE_NUMBER or "
            "AFTER_SEQUENCE_NUMBER");
}

TEST_F(ShardIteratorTest, ASequenceNumberMustBeOfTheShard) {
  const StreamShard first = ShardOf("a");
  RollOver("t");
  const StreamShard child = ShardOf("a");
  const std::string of_child = FormatSequenceNumber(child.First());
  EXPECT_EQ(Refusal(Iterator(arn(), first, kAtSequenceNumber, of_child), ErrorCode::kValidation),
            "Invalid SequenceNumber: " + of_child);
  const std::string of_first = FormatSequenceNumber(first.First());
  EXPECT_EQ(Refusal(Iterator(arn(), child, kAfterSequenceNumber, of_first), ErrorCode::kValidation),
            "Invalid SequenceNumber: " + of_first);
  const std::string words(35, 'x');
  EXPECT_EQ(Refusal(Iterator(arn(), child, kAtSequenceNumber, words), ErrorCode::kValidation),
            "Invalid SequenceNumber: " + words);
}

TEST_F(ShardIteratorTest, ShardsAndStreamsMustExist) {
  StreamShard shard = ShardOf("a");
  shard.id.back() = 'x';
  EXPECT_EQ(Refusal(Iterator(arn(), shard), ErrorCode::kResourceNotFound),
            "Requested resource not found: Shard does not exist");
  const std::string other = arn() + "7";
  EXPECT_EQ(Refusal(Iterator(other, ShardOf("a")), ErrorCode::kResourceNotFound),
            "Requested resource not found: Stream: " + other + " not found");
}

TEST_F(ShardIteratorTest, ExpiresAfterFifteenMinutes) {
  clock_.now_ms = 1'800'000'000'000;
  CreateStreaming("u");
  const auto iterator = Iterator(ArnOf("u"), Shards(ArnOf("u"))[0]);
  clock_.now_ms += 15 * kMinuteMs;
  const auto page = GetRecords(engine(), {*iterator, std::nullopt});
  ASSERT_TRUE(page) << page.error().message();
  clock_.now_ms += 1;
  EXPECT_EQ(GetRefusal(*iterator, ErrorCode::kExpiredIterator),
            "Iterator expired. The iterator was created at time Fri Jan 15 08:00:00 UTC 2027 while "
            "right now it is Fri Jan 15 08:15:00 UTC 2027 which is further in the future than the "
            "tolerated delay of 900000 milliseconds.");
  EXPECT_TRUE(GetRecords(engine(), {*page->next, std::nullopt}));
}

TEST_F(ShardIteratorTest, RecordsAreShownForADay) {
  PutThing("t", "a", 1);
  clock_.now_ms += kHourMs;
  PutThing("t", "a", 2);
  const StreamShard shard = ShardOf("a");
  clock_.now_ms += engine::kStreamLifeMs - kHourMs;
  EXPECT_EQ(ReadNumbers(Iterator(arn(), shard)), (std::vector{1, 2}));
  NextMs();
  EXPECT_EQ(ReadNumbers(Iterator(arn(), shard)), std::vector{2});
}

TEST_F(ShardIteratorTest, ATrimmedSequenceNumberIsNotThereAnyMore) {
  PutThing("t", "a", 1);
  const std::string number = SequenceNumberOf(1);
  const StreamShard shard = ShardOf("a");
  clock_.now_ms += engine::kStreamLifeMs;
  EXPECT_TRUE(Iterator(arn(), shard, kAfterSequenceNumber, number));
  NextMs();
  for (const auto type : {kAtSequenceNumber, kAfterSequenceNumber}) {
    EXPECT_EQ(Refusal(Iterator(arn(), shard, type, number), ErrorCode::kTrimmedDataAccess),
              "The data you are trying to access has been trimmed");
  }
}

TEST_F(ShardIteratorTest, WhatAnIteratorPointsToCanBeTrimmed) {
  PutThing("t", "a", 1);
  PutThing("t", "a", 2);
  const StreamShard shard = ShardOf("a");
  const std::string number = SequenceNumberOf(1);
  clock_.now_ms += engine::kStreamLifeMs - kMinuteMs;
  const auto at = Iterator(arn(), shard, kAtSequenceNumber, number);
  const auto page = GetRecords(engine(), {*Iterator(arn(), shard), 1});
  const auto horizon = Iterator(arn(), shard);
  clock_.now_ms += 2 * kMinuteMs;
  for (const ShardIterator& iterator : {*at, *page->next}) {
    EXPECT_EQ(GetRefusal(iterator, ErrorCode::kTrimmedDataAccess),
              "The data you are trying to access has been trimmed");
  }
  // The horizon moves; what is after it can be read.
  PutThing("t", "a", 3);
  EXPECT_EQ(ReadNumbers(horizon), std::vector{3});
}

// Whoever has read everything misses nothing, however long ago the last change was.
TEST_F(ShardIteratorTest, AReaderWithNothingToReadIsNeverTooLate) {
  PutThing("t", "a", 1);
  std::optional<ShardIterator> next = *Iterator(arn(), ShardOf("a"));
  EXPECT_EQ(Numbers(ReadFrom(&next)), std::vector{1});
  for (int i = 0; i < 3 * 24 * 6; ++i) {
    clock_.now_ms += 10 * kMinuteMs;
    EXPECT_TRUE(ReadFrom(&next).empty());
    ASSERT_TRUE(next);
  }
  PutThing("t", "a", 2);
  EXPECT_EQ(Numbers(ReadFrom(&next)), std::vector{2});
}

TEST_F(ShardIteratorTest, AShardCanBeTrimmedBelowItsReader) {
  PutThing("t", "a", 1);
  const StreamShard shard = ShardOf("a");
  RollOver("t");
  clock_.now_ms += engine::kStreamLifeMs;
  const auto iterator = Iterator(arn(), shard);
  ASSERT_TRUE(iterator);
  NextMs();
  EXPECT_EQ(GetRefusal(*iterator, ErrorCode::kTrimmedDataAccess),
            "The data you are trying to access has been trimmed");
}

// Trimming the log is housekeeping's; what it left behind is not shown either.
TEST_F(ShardIteratorTest, HousekeepingChangesNothingThatCanBeSeen) {
  for (int i = 0; i < 30; ++i) {
    PutThing("t", "a", i);
    clock_.now_ms += kHourMs;
    const auto before = Numbers(ReadStream(arn()));
    engine().housekeeping().Wake();
    engine().housekeeping().WaitUntilIdle();
    EXPECT_EQ(Numbers(ReadStream(arn())), before);
    EXPECT_EQ(before.size(), std::min(i + 1, 24));
  }
  EXPECT_GT(Shards(arn()).size(), 4u * encoding::kShards);
}

}  // namespace
}  // namespace monotable::operations

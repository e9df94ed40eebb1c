#include "operations/stream_shards.h"

#include <set>

#include <gtest/gtest.h>

namespace monotable::operations {
namespace {

using encoding::ChangePosition;
using table::LogMoment;

table::StreamDefinition Stream(std::vector<LogMoment> generations,
                               std::optional<LogMoment> end = std::nullopt) {
  return {"2027-01-15T08:00:00.000", table::StreamViewType::kKeysOnly, 1000, std::move(generations),
          end};
}

TEST(SequenceNumberTest, HasThirtyFiveDigitsThatCanBeReadBack) {
  const ChangePosition position{1'800'000'000'000, 42, 7};
  const std::string text = FormatSequenceNumber(position);
  EXPECT_EQ(text, "18000000000000000000000000000420007");
  EXPECT_EQ(ParseSequenceNumber(text), position);
}

TEST(SequenceNumberTest, SortsByCommit) {
  const ChangePosition ordered[] = {{999, 1, 0},   {1000, 1, 9999}, {1000, 2, 0},
                                    {1000, 10, 1}, {1000, 10, 10},  {2000, 3, 0}};
  for (size_t i = 1; i < std::size(ordered); ++i) {
    EXPECT_LT(FormatSequenceNumber(ordered[i - 1]), FormatSequenceNumber(ordered[i]));
  }
}

TEST(SequenceNumberTest, RefusesOtherTexts) {
  const std::string good = FormatSequenceNumber({1'800'000'000'000, 42, 7});
  EXPECT_FALSE(ParseSequenceNumber(""));
  EXPECT_FALSE(ParseSequenceNumber(good.substr(1)));
  EXPECT_FALSE(ParseSequenceNumber(good + "0"));
  for (const char wrong : {'-', '+', ' ', 'x'}) {
    std::string text = good;
    text[0] = wrong;
    EXPECT_FALSE(ParseSequenceNumber(text)) << text;
  }
}

TEST(StreamShardsTest, AGenerationHasOnePerShardOfTheLog) {
  const auto shards = ShardsOf(Stream({{1000, 5}}), 0);
  ASSERT_EQ(shards.size(), encoding::kShards);
  std::set<std::string> ids;
  std::set<uint8_t> numbers;
  for (const StreamShard& shard : shards) {
    ids.insert(shard.id);
    numbers.insert(shard.number);
    EXPECT_TRUE(shard.id.starts_with("shardId-00000000000000001000-")) << shard.id;
    EXPECT_EQ(shard.id.size(), 37u);
    EXPECT_FALSE(shard.parent_id);
    EXPECT_FALSE(shard.Last());
    EXPECT_EQ(shard.First(), (ChangePosition{1000, 5, 0}));
  }
  EXPECT_EQ(ids.size(), encoding::kShards);
  EXPECT_EQ(numbers.size(), encoding::kShards);
}

TEST(StreamShardsTest, AChildNamesTheShardOfItsNumberInTheGenerationBefore) {
  const auto stream = Stream({{1000, 5}, {2000, 9}, {3000, 12}});
  const auto shards = ShardsOf(stream, 0);
  ASSERT_EQ(shards.size(), 3u * encoding::kShards);
  for (const StreamShard& shard : shards) {
    if (shard.begin.time_ms == 1000) {
      EXPECT_FALSE(shard.parent_id);
      continue;
    }
    const LogMoment parent =
        shard.begin.time_ms == 2000 ? stream.generations[0] : stream.generations[1];
    EXPECT_EQ(shard.parent_id, FindShard(stream, parent, shard.number)->id);
  }
}

// Sequence numbers of a shard end before those of its child begin.
TEST(StreamShardsTest, RangesDoNotOverlap) {
  const auto stream = Stream({{1000, 5}, {1000, 6}, {3000, 12}}, LogMoment{3000, 20});
  for (size_t i = 0; i + 1 < stream.generations.size(); ++i) {
    const auto shard = FindShard(stream, stream.generations[i], 0);
    const auto child = FindShard(stream, stream.generations[i + 1], 0);
    ASSERT_TRUE(shard->Last());
    EXPECT_LT(*shard->Last(), child->First());
    EXPECT_TRUE(shard->Contains(*shard->Last()));
    EXPECT_FALSE(child->Contains(*shard->Last()));
    EXPECT_FALSE(shard->Contains(child->First()));
  }
  const auto last = FindShard(stream, {3000, 12}, 0);
  EXPECT_EQ(last->Last(), (ChangePosition{3000, 19, kMaxPosition}));
}

// Two generations of one millisecond happen with a clock that stands still.
TEST(StreamShardsTest, GenerationsOfTheSameTimeHaveIdsOfTheirOwn) {
  std::set<std::string> ids;
  const auto shards = ShardsOf(Stream({{1000, 5}, {1000, 6}, {1000, 7}}), 0);
  for (const StreamShard& shard : shards) ids.insert(shard.id);
  EXPECT_EQ(ids.size(), 3u * encoding::kShards);
}

TEST(StreamShardsTest, TrimmedShardsAreGoneButStillNamedAsParents) {
  const auto stream = Stream({{1000, 5}, {2000, 9}, {3000, 12}});
  const auto shards = ShardsOf(stream, 2001);
  ASSERT_EQ(shards.size(), 2u * encoding::kShards);
  for (const StreamShard& shard : shards) EXPECT_TRUE(shard.parent_id);
  EXPECT_EQ(shards.front().begin, stream.generations[1]);
  EXPECT_EQ(ShardsOf(stream, 2000).size(), 3u * encoding::kShards);
  EXPECT_EQ(ShardsOf(stream, 1'000'000).size(), encoding::kShards);
}

// Housekeeping forgets generations that nobody can read; the ids of the others stay.
TEST(StreamShardsTest, IdsDoNotDependOnForgottenGenerations) {
  const auto whole = ShardsOf(Stream({{1000, 5}, {2000, 9}, {3000, 12}}), 2500);
  const auto rest = ShardsOf(Stream({{2000, 9}, {3000, 12}}), 2500);
  ASSERT_EQ(whole.size(), rest.size());
  for (size_t i = 0; i < whole.size(); ++i) EXPECT_EQ(whole[i].id, rest[i].id);
}

TEST(StreamShardsTest, UnknownShards) {
  const auto stream = Stream({{1000, 5}});
  EXPECT_FALSE(FindShard(stream, {1000, 6}, 0));
  EXPECT_FALSE(FindShard(stream, {1000, 5}, encoding::kShards));
}

}  // namespace
}  // namespace monotable::operations

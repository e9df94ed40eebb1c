#include "encoding/stored_definition.h"
#include "engine/change_log.h"
#include "engine/engine_fixture.h"
#include "engine/housekeeping.h"

namespace monotable::engine {
namespace {

constexpr int64_t kHourMs = 3'600'000;

class StreamUpkeepTest : public EngineFixture {
 protected:
  TablePtr CreateStreaming(const std::string& name) {
    table::TableDefinition definition = Definition(name);
    definition.stream = {true, table::StreamViewType::kNewImage, clock_.now_ms};
    definition.latest_stream_label = "first";
    return *Create(catalog(), definition);
  }

  void SwitchStream(const std::string& name, bool enabled, const std::string& label = "") {
    ASSERT_TRUE(catalog().Change(
        name, [&](const table::TableDefinition* current, uint32_t) -> Catalog::Decision {
          table::TableDefinition next = *current;
          next.stream = {};
          if (enabled) {
            next.stream = {true, table::StreamViewType::kOldImage, clock_.now_ms};
            next.latest_stream_label = label;
          }
          return std::optional(std::move(next));
        }));
  }

  static item::Item Thing(const std::string& key) {
    item::Item item;
    item.Set("PK", item::Value(key));
    return item;
  }

  void Advance(int64_t ms) {
    clock_.now_ms += ms;
    engine().housekeeping().Wake();
    engine().housekeeping().WaitUntilIdle();
  }
};

TEST_F(StreamUpkeepTest, AStreamBeginsAndEndsAtAPlaceInTheLog) {
  const TablePtr table = CreateStreaming("t");
  ASSERT_EQ(table->streams.size(), 1u);
  EXPECT_EQ(table->streams[0].label, "first");
  EXPECT_FALSE(table->streams[0].end);
  ASSERT_TRUE(Put(table, Thing("a")));
  SwitchStream("t", false);
  SwitchStream("t", true, "second");
  const TablePtr after = catalog().Find("t");
  ASSERT_EQ(after->streams.size(), 2u);
  ASSERT_TRUE(after->streams[0].end);
  EXPECT_GT(after->streams[0].end->sequence, after->streams[0].generations[0].sequence + 1);
  EXPECT_GT(after->streams[1].generations[0].sequence, after->streams[0].end->sequence);
  EXPECT_EQ(after->streams[1].view_type, table::StreamViewType::kOldImage);
  EXPECT_EQ(CountKeys(encoding::ChangesRange(table->id)), 1u) << "the old stream can be read";

  Advance(25 * kHourMs);
  const TablePtr later = catalog().Find("t");
  ASSERT_EQ(later->streams.size(), 1u);
  EXPECT_EQ(later->streams[0].label, "second");
  EXPECT_EQ(CountKeys(encoding::ChangesRange(table->id)), 0u);
}

TEST_F(StreamUpkeepTest, ShardsAreContinuedByOthers) {
  CreateStreaming("t");
  for (int hours = 0; hours < 60; hours += 2) Advance(2 * kHourMs);
  const TablePtr table = catalog().Find("t");
  const auto& generations = table->streams[0].generations;
  // Those of the last day, that one which a day ago was in use, and its parent.
  EXPECT_GE(generations.size(), 7u);
  EXPECT_LE(generations.size(), 9u);
  for (size_t i = 1; i < generations.size(); ++i) {
    EXPECT_GT(generations[i].sequence, generations[i - 1].sequence);
    EXPECT_EQ(generations[i].time_ms - generations[i - 1].time_ms, kShardLifeMs);
  }
}

TEST_F(StreamUpkeepTest, ADroppedTableCanBeReadForADay) {
  const TablePtr table = CreateStreaming("t");
  ASSERT_TRUE(Put(table, Thing("a")));
  ASSERT_TRUE(Drop(catalog(), "t"));
  ASSERT_EQ(catalog().Dropped()->size(), 1u);
  EXPECT_TRUE((*catalog().Dropped())[0]->streams[0].end);
  EXPECT_EQ(CountKeys(encoding::ChangesRange(table->id)), 1u);
  EXPECT_EQ(CountKeys(encoding::TableRange(table->id)), 0u);
  Advance(23 * kHourMs);
  EXPECT_EQ(CountKeys(encoding::ChangesRange(table->id)), 1u);
  Advance(2 * kHourMs);
  EXPECT_TRUE(catalog().Dropped()->empty());
  EXPECT_EQ(CountKeys(encoding::ChangesRange(table->id)), 0u);
}

// The time of day is set back between two processes.
TEST_F(StreamUpkeepTest, TheLogNeverGoesBack) {
  const TablePtr table = CreateStreaming("t");
  ASSERT_TRUE(Put(table, Thing("a")));
  const auto last = [&] {
    encoding::ChangePosition newest;
    const auto range = encoding::ChangesRange(table->id);
    const auto cursor = store().Latest().Scan(range, storage::Direction::kForward);
    for (; cursor->Valid(); cursor->Next()) {
      newest = std::max(newest, encoding::DecodeChangeKey(cursor->key()).value());
    }
    return newest;
  };
  const encoding::ChangePosition before = last();
  const storage::Commit set_back{before.sequence + 1, before.time_ms - kHourMs};
  EXPECT_LT(catalog().LogPosition(set_back).time_ms, before.time_ms);
  CloseEngine();
  OpenEngine();
  EXPECT_EQ(catalog().LogPosition(set_back).time_ms, before.time_ms);
  EXPECT_GT(catalog().LogPosition(set_back), before);
}

TEST_F(StreamUpkeepTest, NothingComesBeforeTheBeginningOfAStream) {
  const TablePtr table = CreateStreaming("t");
  const table::LogMoment begin = table->streams[0].generations[0];
  CloseEngine();
  OpenEngine();
  EXPECT_EQ(catalog().LogPosition({begin.sequence + 1, begin.time_ms - kHourMs}).time_ms,
            begin.time_ms);
}

// A stream of a data folder from before streams could be read.
TEST_F(StreamUpkeepTest, AnOldFolderGetsItsStream) {
  const TablePtr table = CreateStreaming("t");
  CloseEngine();
  table::TableDefinition old = *table;
  old.streams.clear();
  ASSERT_TRUE(storage::UpdateAndWait(
      store(), {encoding::CatalogKey("t")}, [&](auto, const auto&, storage::Batch* batch) {
        batch->Put(encoding::CatalogKey("t"), encoding::EncodeDefinition(old));
      }));
  OpenEngine();
  engine().housekeeping().Wake();
  engine().housekeeping().WaitUntilIdle();
  ASSERT_EQ(catalog().Find("t")->streams.size(), 1u);
  EXPECT_EQ(catalog().Find("t")->streams[0].label, "first");
}

}  // namespace
}  // namespace monotable::engine

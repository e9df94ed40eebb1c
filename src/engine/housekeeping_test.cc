#include "engine/housekeeping.h"

#include "encoding/stored_definition.h"
#include "engine/change_log.h"
#include "engine/engine_fixture.h"
#include "engine/idempotency.h"
#include "engine/jobs.h"

namespace monotable::engine {
namespace {

class TrimmingTest : public EngineFixture {
 protected:
  void Write(const std::string& key, const std::string& value) {
    ASSERT_TRUE(storage::UpdateAndWait(
        store(), {key}, [&](auto, const auto&, storage::Batch* batch) { batch->Put(key, value); }));
  }

  void WriteChange(uint32_t table_id, uint64_t sequence, int64_t time_ms) {
    Write(encoding::ChangeKey(table_id, static_cast<uint8_t>(sequence % encoding::kShards),
                              {time_ms, sequence, 0}),
          "a record");
  }

  // A table whose log is read by a stream.
  uint32_t CreateStreaming(const std::string& name) {
    table::TableDefinition definition = Definition(name);
    definition.stream = {true, table::StreamViewType::kKeysOnly, clock_.now_ms};
    definition.latest_stream_label = "label";
    return (*Create(catalog(), definition))->id;
  }

  void WriteToken(int64_t time_ms, const std::string& token) {
    Write(encoding::TokenKey(TokenBucket(time_ms), token), EncodeToken({time_ms, "print", {}, ""}));
  }

  bool HasToken(int64_t time_ms, const std::string& token) {
    std::string value;
    return *store().Latest().Get(encoding::TokenKey(TokenBucket(time_ms), token), &value);
  }

  std::stop_source stop_;
};

TEST_F(TrimmingTest, KeepsChangesForADay) {
  const uint32_t a = CreateStreaming("a");
  const uint32_t b = CreateStreaming("b");
  const int64_t now = clock_.now_ms;
  // All in one shard.
  WriteChange(a, 4, now - kStreamLifeMs - 3'600'000);
  WriteChange(a, 8, now - kStreamLifeMs - 1);
  WriteChange(a, 12, now - kStreamLifeMs);
  WriteChange(a, 16, now);
  WriteChange(b, 5, now - 1);
  ASSERT_TRUE(TrimChanges(engine(), stop_.get_token()));
  EXPECT_EQ(CountKeys(encoding::ChangesRange(a)), 2u);
  EXPECT_EQ(CountKeys(encoding::ChangesRange(b)), 1u);

  clock_.now_ms += kStreamLifeMs + 3'600'000;
  ASSERT_TRUE(TrimChanges(engine(), stop_.get_token()));
  EXPECT_EQ(CountKeys(encoding::ChangesRange(a)), 0u);
  EXPECT_EQ(CountKeys(encoding::ChangesRange(b)), 0u);
}

TEST_F(TrimmingTest, KeepsTokensThatATransactionCanStillAskFor) {
  const int64_t first = clock_.now_ms;
  WriteToken(first, "first");
  for (int64_t age = 0; age <= kTokenLifeMs; age += kTokenLifeMs / 10) {
    clock_.now_ms = first + age;
    ASSERT_TRUE(TrimTokens(engine()));
    EXPECT_TRUE(HasToken(first, "first")) << age;
  }
  clock_.now_ms = first + 4 * kTokenLifeMs;
  WriteToken(clock_.now_ms, "second");
  ASSERT_TRUE(TrimTokens(engine()));
  EXPECT_FALSE(HasToken(first, "first"));
  EXPECT_TRUE(HasToken(clock_.now_ms, "second"));
}

TEST_F(TrimmingTest, KeepsFinishedExportsAndImportsFor90Days) {
  constexpr int64_t kListedMs = int64_t{90} * 24 * 3'600'000;
  const int64_t begun = clock_.now_ms;
  const auto put = [&](JobKind kind, const std::string& id, JobState state) {
    ASSERT_TRUE(storage::UpdateAndWait(store(), {}, [&](auto, const auto&, storage::Batch* batch) {
      Jobs::Put({kind, id, state, {}}, batch);
    }));
  };
  const auto ids = [&](JobKind kind) {
    std::string found;
    const auto jobs = engine().jobs().List(kind);
    for (const Job& job : *jobs) found += job.id.substr(14) + " ";
    return found;
  };
  for (const JobKind kind : {JobKind::kExport, JobKind::kImport, JobKind::kBackup}) {
    put(kind, Jobs::FirstId(begun) + "-done", JobState::kDone);
    put(kind, Jobs::FirstId(begun) + "-failed", JobState::kFailed);
    put(kind, Jobs::FirstId(begun) + "-running", JobState::kRunning);
    put(kind, Jobs::FirstId(begun + 1) + "-later", JobState::kDone);
  }
  const std::string all = "-done -failed -running -later ";
  clock_.now_ms = begun + kListedMs;
  ASSERT_TRUE(TrimJobs(engine()));
  EXPECT_EQ(ids(JobKind::kExport), all);
  clock_.now_ms = begun + kListedMs + 1;
  ASSERT_TRUE(TrimJobs(engine()));
  EXPECT_EQ(ids(JobKind::kExport), "-running -later ");
  EXPECT_EQ(ids(JobKind::kImport), "-running -later ");
  EXPECT_EQ(ids(JobKind::kBackup), all);
}

// The background thread does both when woken.
TEST_F(TrimmingTest, HappensInTheBackground) {
  const uint32_t a = CreateStreaming("a");
  const int64_t old = clock_.now_ms - 2 * kStreamLifeMs;
  WriteChange(a, 1, old);
  WriteToken(old, "old");
  engine().housekeeping().Wake();
  engine().housekeeping().WaitUntilIdle();
  EXPECT_EQ(CountKeys(encoding::ChangesRange(a)), 0u);
  EXPECT_FALSE(HasToken(old, "old"));
}

TEST_F(TrimmingTest, StoppedHousekeepingIsIdle) {
  engine().housekeeping().Stop();
  engine().housekeeping().Wake();
  engine().housekeeping().WaitUntilIdle();
}

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

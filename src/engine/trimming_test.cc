#include "engine/change_log.h"
#include "engine/engine_fixture.h"
#include "engine/housekeeping.h"
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

}  // namespace
}  // namespace monotable::engine

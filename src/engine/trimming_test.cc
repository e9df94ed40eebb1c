#include "engine/trimming.h"

#include "engine/change_log.h"
#include "engine/engine_fixture.h"
#include "engine/idempotency.h"

namespace monotable::engine {
namespace {

class TrimmingTest : public EngineFixture {
 protected:
  void Write(const std::string& key, const std::string& value) {
    ASSERT_TRUE(storage::UpdateAndWait(
        store(), {key}, [&](auto, const auto&, storage::Batch* batch) { batch->Put(key, value); }));
  }

  void WriteChange(uint32_t table_id, uint64_t sequence, int64_t time_ms) {
    Write(encoding::ChangeKey(table_id, sequence, 0),
          EncodeChange({{time_ms, ChangeOrigin::kUser}, std::nullopt, std::nullopt}));
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
  const uint32_t a = (*Create(catalog(), Definition("a")))->id;
  const uint32_t b = (*Create(catalog(), Definition("b")))->id;
  const int64_t now = clock_.now_ms;
  WriteChange(a, 1, now - kChangeLifeMs - 1000);
  WriteChange(a, 2, now - kChangeLifeMs - 1);
  WriteChange(a, 3, now - kChangeLifeMs);
  WriteChange(a, 4, now);
  WriteChange(b, 5, now - 1);
  ASSERT_TRUE(TrimChanges(engine(), stop_.get_token()));
  EXPECT_EQ(CountKeys(encoding::ChangesRange(a)), 2u);
  EXPECT_EQ(CountKeys(encoding::ChangesRange(b)), 1u);

  clock_.now_ms += kChangeLifeMs;
  ASSERT_TRUE(TrimChanges(engine(), stop_.get_token()));
  EXPECT_EQ(CountKeys(encoding::ChangesRange(a)), 1u);
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

// The background thread does both when woken.
TEST_F(TrimmingTest, HappensInTheBackground) {
  const uint32_t a = (*Create(catalog(), Definition("a")))->id;
  const int64_t old = clock_.now_ms - 2 * kChangeLifeMs;
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

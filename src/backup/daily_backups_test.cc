#include "backup/daily_backups.h"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/dynamodb/in_process.h"
#include "engine/test_clock.h"
#include "storage/memory/memory_store.h"

namespace monotable::backup {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kAnHourMs = 3'600'000;
constexpr int64_t kStartMs = 1'769'783'400'000;  // 2026-01-30T14:30:00Z

class DailyBackupsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto engine = engine::Engine::Open(*store_, clock_, {});
    ASSERT_TRUE(engine) << engine.error().message();
    engine_ = std::move(*engine);
    Call("CreateTable", R"({"TableName":"notes","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],
        "KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]})");
    Put("first");
  }
  void TearDown() override { daily_.reset(); }

  std::string Call(std::string_view operation, std::string_view body) {
    const auto answer = api::dynamodb::CallInProcess(*engine_, operation, body);
    EXPECT_TRUE(answer) << answer.error().message();
    return answer ? *answer : "";
  }
  void Put(std::string_view id) {
    Call("PutItem", fmt::format(R"({{"TableName":"notes","Item":{{"id":{{"S":"{}"}}}}}})", id));
  }
  // A server that starts with a backup at 03:00.
  void Start(int keep_days = 2) {
    daily_.reset();
    daily_ = std::make_unique<DailyBackups>(
        *engine_, std::vector<DailyBackup>{{"notes", 3 * kAnHourMs, keep_days}});
    daily_->Start();
    daily_->repeater().WaitUntilIdle();
  }
  void Advance(int64_t by_ms) {
    clock_.Advance(by_ms);
    if (daily_ == nullptr) return;
    daily_->repeater().Wake();
    daily_->repeater().WaitUntilIdle();
  }
  std::vector<std::string> Names() {
    const auto backups = engine::ListBackups(*engine_);
    EXPECT_TRUE(backups) << backups.error().message();
    std::vector<std::string> names;
    for (const engine::Backup& backup : *backups) {
      names.push_back(fmt::format("{} {}", backup.name, backup.item_count));
    }
    return names;
  }

  engine::TestClock clock_{kStartMs};
  std::unique_ptr<storage::Store> store_ =
      storage::NewMemoryStore({.now = [this] { return clock_.NowMs(); }});
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<DailyBackups> daily_;
};

TEST_F(DailyBackupsTest, AreMadeOnceADayAtTheirTime) {
  Start();
  EXPECT_THAT(Names(), IsEmpty());  // the table is younger than the last 03:00
  Advance(12 * kAnHourMs);
  EXPECT_THAT(Names(), IsEmpty());  // 02:30
  Advance(kAnHourMs);
  EXPECT_THAT(Names(), ElementsAre("notes-daily-20260131 1"));
  Put("second");
  Advance(20 * kAnHourMs);
  EXPECT_THAT(Names(), ElementsAre("notes-daily-20260131 1"));
  Advance(4 * kAnHourMs);
  EXPECT_THAT(Names(), ElementsAre("notes-daily-20260131 1", "notes-daily-20260201 2"));
}

TEST_F(DailyBackupsTest, AStartMakesUpForTheLastOneThatWasMissed) {
  Advance(72 * kAnHourMs);
  Start();
  EXPECT_THAT(Names(), ElementsAre("notes-daily-20260202 1"));
  Start();
  EXPECT_THAT(Names(), ElementsAre("notes-daily-20260202 1"));
}

TEST_F(DailyBackupsTest, OldOnesGoAndThoseOfPeopleStay) {
  Call("CreateBackup", R"({"TableName":"notes","BackupName":"by-hand"})");
  engine_->jobs().WaitUntilIdle();
  Start();
  for (int day = 0; day < 4; ++day) Advance(24 * kAnHourMs);
  EXPECT_THAT(Names(),
              ElementsAre("by-hand 1", "notes-daily-20260202 1", "notes-daily-20260203 1"));
}

TEST_F(DailyBackupsTest, CanBeRestored) {
  Start();
  Advance(13 * kAnHourMs);
  const auto backups = engine::ListBackups(*engine_);
  ASSERT_TRUE(backups);
  ASSERT_EQ(backups->size(), 1u);
  Put("later");
  Call("RestoreTableFromBackup", fmt::format(R"({{"TargetTableName":"again","BackupArn":"{}"}})",
                                             engine::BackupArn(*engine_, backups->front())));
  engine_->jobs().WaitUntilIdle();
  EXPECT_THAT(Call("Scan", R"({"TableName":"again","Select":"COUNT"})"), HasSubstr(R"("Count":1)"));
}

TEST_F(DailyBackupsTest, ATableThatIsGoneDoesNotKeepOthersWaiting) {
  daily_ = std::make_unique<DailyBackups>(
      *engine_, std::vector<DailyBackup>{{"gone", 3 * kAnHourMs, 2}, {"notes", 3 * kAnHourMs, 2}});
  daily_->Start();
  Advance(13 * kAnHourMs);
  EXPECT_THAT(Names(), ElementsAre("notes-daily-20260131 1"));
}

}  // namespace
}  // namespace monotable::backup

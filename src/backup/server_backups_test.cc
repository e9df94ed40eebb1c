#include "backup/server_backups.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/dynamodb/in_process.h"
#include "engine/test_clock.h"
#include "storage/memory/memory_store.h"
#include "storage/rocksdb/rocksdb_store.h"
#include "storage/rocksdb/store_backups.h"
#include "storage/temporary_folder_for_tests.h"

namespace monotable::backup {
namespace {

using std::chrono::hours;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kHourMs = 3'600'000;

class BackupsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto store = storage::OpenRocksDbStore(data_, {.now = [this] { return clock_.NowMs(); }});
    ASSERT_TRUE(store) << store.error().message();
    store_ = std::move(*store);
    auto engine = engine::Engine::Open(*store_, clock_, {});
    ASSERT_TRUE(engine) << engine.error().message();
    engine_ = std::move(*engine);
    Call("CreateTable", R"({"TableName":"notes","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],
        "KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]})");
    Put("a");
  }

  void Call(std::string_view operation, std::string_view body) {
    const auto answer = api::dynamodb::CallInProcess(*engine_, operation, body);
    ASSERT_TRUE(answer) << answer.error().message();
  }
  void Put(std::string_view id) {
    Call("PutItem", fmt::format(R"({{"TableName":"notes","Item":{{"id":{{"S":"{}"}}}}}})", id));
  }
  BackupOptions Options(uint32_t keep = 7) const {
    return {.data_folder = data_, .backup_folder = backups_, .keep = keep};
  }
  static std::vector<uint32_t> Ids(const Backups& backups) {
    const auto listed = backups.List();
    EXPECT_TRUE(listed) << listed.error().message();
    std::vector<uint32_t> ids;
    for (const ServerBackup& backup : *listed) ids.push_back(backup.id);
    return ids;
  }

  storage::TemporaryFolder folder_;
  const std::string data_ = folder_.path() + "/data";
  const std::string backups_ = folder_.path() + "/backups";
  engine::TestClock clock_{1'763'000'000'250};
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<engine::Engine> engine_;
};

TEST_F(BackupsTest, SaysWhatIsInThem) {
  Backups backups(*engine_, Options());
  EXPECT_THAT(Ids(backups), ElementsAre());
  const auto made = backups.Create(/*with_digests=*/true);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->id, 1u);
  EXPECT_EQ(made->time_ms, clock_.NowMs()) << "the time is that of the engine";
  EXPECT_EQ(made->folder, backups_);
  EXPECT_GT(made->bytes, 0u);
  EXPECT_GT(made->files, 0u);
  ASSERT_EQ(made->tables.size(), 1u);
  EXPECT_EQ(made->tables[0].name, "notes");
  EXPECT_EQ(made->tables[0].items, 1);
  EXPECT_EQ(made->tables[0].digest.size(), 32u);

  Put("b");
  const auto plain = backups.TryCreate(/*with_digests=*/false);
  ASSERT_TRUE(plain) << plain.error().message();
  EXPECT_EQ(plain->tables[0].items, 2);
  EXPECT_EQ(plain->tables[0].digest, "");
  const auto listed = backups.List();
  ASSERT_TRUE(listed) << listed.error().message();
  ASSERT_EQ(listed->size(), 2u);
  EXPECT_EQ((*listed)[0].time_ms, made->time_ms);
  EXPECT_EQ((*listed)[0].tables[0].digest, made->tables[0].digest);
  EXPECT_EQ((*listed)[1].tables[0].items, 2);
}

TEST_F(BackupsTest, RestoreToWhatWasThere) {
  Backups backups(*engine_, Options());
  ASSERT_TRUE(backups.Create(false));
  Put("later");
  const std::string restored = folder_.path() + "/restored";
  ASSERT_TRUE(storage::RestoreBackup(backups_, 1, restored));
  const auto store = storage::OpenRocksDbStore(restored);
  ASSERT_TRUE(store) << store.error().message();
  const auto engine = engine::Engine::Open(**store, clock_, {});
  ASSERT_TRUE(engine) << engine.error().message();
  const auto scan = api::dynamodb::CallInProcess(**engine, "Scan", R"({"TableName":"notes"})");
  ASSERT_TRUE(scan) << scan.error().message();
  EXPECT_EQ(*scan, R"({"Items":[{"id":{"S":"a"}}],"Count":1,"ScannedCount":1})");
}

TEST_F(BackupsTest, KeepTheNewestAndLeaveNoCheckpoint) {
  Backups backups(*engine_, Options(/*keep=*/2));
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(backups.Create(false));
  EXPECT_THAT(Ids(backups), ElementsAre(3, 4));
  EXPECT_FALSE(std::filesystem::exists(data_ + "/checkpoint"));
}

TEST_F(BackupsTest, ClearAwayWhatWasLeftUnfinished) {
  for (const char* left : {"/checkpoint", "/checkpoint.tmp"}) {
    std::filesystem::create_directories(data_ + left);
    std::ofstream(data_ + left + "/000001.sst") << "half";
  }
  Backups backups(*engine_, Options());
  EXPECT_FALSE(std::filesystem::exists(data_ + "/checkpoint"));
  EXPECT_FALSE(std::filesystem::exists(data_ + "/checkpoint.tmp"));
  EXPECT_TRUE(backups.Create(false));
}

TEST_F(BackupsTest, NeedFilesAndAServerThatRuns) {
  Backups in_memory(*engine_, {.data_folder = "", .backup_folder = backups_});
  const auto refused = in_memory.Create(false);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("keeps its data in memory"));
  EXPECT_THAT(Ids(in_memory), ElementsAre());
  EXPECT_FALSE(std::filesystem::exists(backups_));

  Backups stopped(*engine_, Options());
  stopped.Stop();
  EXPECT_FALSE(stopped.Create(false));
}

TEST_F(BackupsTest, NotesOfOthersAreNoError) {
  storage::BackupInfo info{.id = 3, .time = 17, .bytes = 5, .files = 2, .note = "[1]"};
  const ServerBackup backup = Describe(info, "/b");
  EXPECT_EQ(backup.id, 3u);
  EXPECT_EQ(backup.time_ms, 17'000);
  EXPECT_TRUE(backup.tables.empty());
  info.note = "";
  EXPECT_EQ(Describe(info, "/b").time_ms, 17'000);
}

class BackupScheduleTest : public BackupsTest {
 protected:
  void Advance(BackupSchedule* schedule, int64_t by_ms) {
    clock_.Advance(by_ms);
    schedule->repeater().Wake();
    schedule->repeater().WaitUntilIdle();
  }
};

TEST_F(BackupScheduleTest, MakesOneAtOnceAndThenWhenItIsDue) {
  Backups backups(*engine_, Options(/*keep=*/3));
  BackupSchedule schedule(backups, clock_, hours(24));
  schedule.Start();
  Advance(&schedule, 0);
  EXPECT_THAT(Ids(backups), ElementsAre(1));
  Advance(&schedule, 24 * kHourMs - 1);
  EXPECT_THAT(Ids(backups), ElementsAre(1));
  Advance(&schedule, 1);
  EXPECT_THAT(Ids(backups), ElementsAre(1, 2));
  for (int day = 0; day < 3; ++day) Advance(&schedule, 24 * kHourMs);
  EXPECT_THAT(Ids(backups), ElementsAre(3, 4, 5));
  Advance(&schedule, 240 * kHourMs);
  EXPECT_THAT(Ids(backups), ElementsAre(4, 5, 6)) << "days that were slept through are not made up";
}

TEST_F(BackupScheduleTest, StartsFromTheNewestBackup) {
  Backups backups(*engine_, Options());
  ASSERT_TRUE(backups.Create(false));
  clock_.Advance(10 * kHourMs);
  BackupSchedule schedule(backups, clock_, hours(24));
  schedule.Start();
  Advance(&schedule, 13 * kHourMs);
  EXPECT_THAT(Ids(backups), ElementsAre(1));
  Advance(&schedule, kHourMs);
  EXPECT_THAT(Ids(backups), ElementsAre(1, 2));
}

TEST_F(BackupScheduleTest, TriesAgainAfterAFailure) {
  std::ofstream(backups_) << "a file where the folder should be";
  Backups backups(*engine_, Options());
  BackupSchedule schedule(backups, clock_, hours(24));
  schedule.Start();
  Advance(&schedule, 0);
  std::filesystem::remove(backups_);
  Advance(&schedule, 60'000);
  EXPECT_THAT(Ids(backups), ElementsAre()) << "not at once";
  Advance(&schedule, 4 * 60'000);
  EXPECT_THAT(Ids(backups), ElementsAre(1));
}

}  // namespace
}  // namespace monotable::backup

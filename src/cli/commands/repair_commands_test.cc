#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/dynamodb/in_process.h"
#include "cli/captured_run_for_tests.h"
#include "cli/commands.h"
#include "engine/engine.h"
#include "engine/test_clock.h"
#include "storage/rocksdb/damaged_files_for_tests.h"
#include "storage/rocksdb/rocksdb_store.h"
#include "storage/temporary_folder_for_tests.h"

namespace monotable::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A data folder with a hundred items of the table notes, all of them in a log.
class RepairCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto store = storage::OpenRocksDbStore(data_);
    ASSERT_TRUE(store) << store.error().message();
    const engine::TestClock clock(1'763'000'000'250);
    const auto engine = engine::Engine::Open(**store, clock, {});
    ASSERT_TRUE(engine) << engine.error().message();
    Call(**engine, "CreateTable", R"({"TableName":"notes","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],
        "KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]})");
    for (int i = 0; i < 100; ++i) {
      Call(**engine, "PutItem",
           fmt::format(R"({{"TableName":"notes","Item":{{"id":{{"S":"{}"}}}}}})", i));
    }
  }
  static void Call(engine::Engine& engine, std::string_view operation, std::string_view body) {
    const auto answer = api::dynamodb::CallInProcess(engine, operation, body);
    ASSERT_TRUE(answer) << answer.error().message();
  }

  Outcome Repair(const std::vector<std::string_view>& options = {}) const {
    std::vector<std::string_view> arguments = {data_};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return CapturedRun(RunRepair, arguments);
  }
  Outcome Scrub() const { return CapturedRun(RunScrub, std::vector<std::string_view>{data_}); }

  const storage::TemporaryFolder folder_;
  const std::string data_ = folder_.path() + "/data";
};

TEST_F(RepairCommandTest, FindsNothingInAGoodFolder) {
  EXPECT_EQ(Repair().code, 0);
  EXPECT_THAT(Repair({"--apply"}).output, HasSubstr("is not damaged"));
  EXPECT_EQ(Scrub().code, 0);
  EXPECT_THAT(Scrub().output, HasSubstr(": good"));
}

TEST_F(RepairCommandTest, ShowsWhatWouldBeLostAndRepairsOnDemand) {
  const std::string log = storage::FilesOf(data_, ".log").back();
  storage::FlipByte(log, std::filesystem::file_size(log) / 2);
  const Outcome shown = Repair();
  EXPECT_EQ(shown.code, 1);
  EXPECT_THAT(shown.output, AllOf(HasSubstr(log), HasSubstr("kept: "), HasSubstr("lost: "),
                                  HasSubstr("Nothing was changed")));
  EXPECT_FALSE(storage::OpenRocksDbStore(data_));
  const Outcome repaired = Repair({"--apply"});
  EXPECT_EQ(repaired.code, 0) << repaired.errors;
  EXPECT_THAT(repaired.output, HasSubstr("is in " + data_ + "/damaged-1"));
  EXPECT_TRUE(storage::OpenRocksDbStore(data_));
}

TEST_F(RepairCommandTest, NamesTheTableOfADamagedFile) {
  ASSERT_TRUE(storage::OpenRocksDbStore(data_));  // which moves everything to a table file
  storage::FlipByte(storage::FilesOf(data_, ".sst").back(), 10);
  const Outcome scrubbed = Scrub();
  EXPECT_EQ(scrubbed.code, 1);
  EXPECT_THAT(scrubbed.output, AllOf(HasSubstr(".sst cannot be read"), HasSubstr("keys from ")));
  EXPECT_EQ(Repair().code, 1);
  const Outcome repaired = Repair({"--apply"});
  EXPECT_EQ(repaired.code, 0) << repaired.output << repaired.errors;
  EXPECT_EQ(Scrub().code, 0);
}

TEST_F(RepairCommandTest, TellsHowItIsUsed) {
  EXPECT_EQ(CapturedRun(RunRepair, std::vector<std::string_view>{}).code, 2);
  EXPECT_EQ(CapturedRun(RunScrub, std::vector<std::string_view>{"a", "b"}).code, 2);
  EXPECT_EQ(CapturedRun(RunScrub, std::vector<std::string_view>{"a", "--mb-per-second", "x"}).code,
            2);
  const Outcome missing = CapturedRun(RunRepair, std::vector<std::string_view>{"/no/such/folder"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.errors, HasSubstr("There is no folder /no/such/folder"));
  EXPECT_THAT(CapturedRun(RunRepair, std::vector<std::string_view>{"--help"}).output,
              HasSubstr("--apply"));
}

}  // namespace
}  // namespace monotable::cli

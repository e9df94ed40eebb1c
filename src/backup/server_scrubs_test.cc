#include "backup/server_scrubs.h"

#include <chrono>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/dynamodb/in_process.h"
#include "engine/test_clock.h"
#include "storage/rocksdb/damaged_files_for_tests.h"
#include "storage/rocksdb/rocksdb_store.h"
#include "storage/temporary_folder_for_tests.h"

namespace monotable::backup {
namespace {

using std::chrono::hours;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kScrubHourMs = 3'600'000;

// A server's table with a few items in a table file.
class ScrubsTest : public testing::Test {
 protected:
  void SetUp() override {
    Open();
    Call("CreateTable", R"({"TableName":"notes","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],
        "KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]})");
    for (int i = 0; i < 100; ++i) {
      Call("PutItem", fmt::format(R"({{"TableName":"notes","Item":{{"id":{{"S":"{}"}}}}}})", i));
    }
    Close();
    Open();  // which moves everything from the log to a table file
  }

  void Open() {
    auto store = storage::OpenRocksDbStore(data_, {.now = [this] { return clock_.NowMs(); }});
    ASSERT_TRUE(store) << store.error().message();
    store_ = std::move(*store);
    auto engine = engine::Engine::Open(*store_, clock_, {});
    ASSERT_TRUE(engine) << engine.error().message();
    engine_ = std::move(*engine);
  }
  void Close() {
    engine_.reset();
    store_.reset();
  }
  void Call(std::string_view operation, std::string_view body) {
    const auto answer = api::dynamodb::CallInProcess(*engine_, operation, body);
    ASSERT_TRUE(answer) << answer.error().message();
  }
  void Damage() {
    const auto files = storage::FilesOf(data_, ".sst");
    ASSERT_FALSE(files.empty());
    for (const std::string& file : files) storage::FlipByte(file, 10);
  }

  storage::TemporaryFolder folder_;
  const std::string data_ = folder_.path() + "/data";
  engine::TestClock clock_{1'763'000'000'250};
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<engine::Engine> engine_;
};

TEST_F(ScrubsTest, FindsDamageAndNamesTheTable) {
  Scrubs scrubs(*engine_, 0);
  auto scrub = scrubs.Run(Scrubs::Start::kBeginning);
  ASSERT_TRUE(scrub) << scrub.error().message();
  EXPECT_GE(scrub->files, 1u);
  EXPECT_THAT(scrub->damage, IsEmpty());
  Damage();
  scrub = scrubs.Run(Scrubs::Start::kBeginning);
  ASSERT_TRUE(scrub) << scrub.error().message();
  EXPECT_THAT(scrub->damage,
              testing::Contains(AllOf(HasSubstr(".sst"), HasSubstr("the table notes"))));
}

TEST_F(ScrubsTest, ScheduleFollowsTheClockAndTheLastScrub) {
  {
    Scrubs scrubs(*engine_, 0);
    EXPECT_EQ(*scrubs.LastTimeMs(), clock_.NowMs());
    ScrubSchedule schedule(scrubs, clock_, hours(24));
    schedule.Start();
    schedule.WaitUntilIdle();
    clock_.Advance(25 * kScrubHourMs);
    schedule.Wake();
    schedule.WaitUntilIdle();
    EXPECT_EQ(*scrubs.LastTimeMs(), clock_.NowMs());
  }
  // The next process goes by the last scrub of this one.
  const int64_t last_ms = clock_.NowMs();
  Close();
  Open();
  clock_.Advance(kScrubHourMs);
  Scrubs scrubs(*engine_, 0);
  ScrubSchedule schedule(scrubs, clock_, hours(24));
  schedule.Start();
  schedule.WaitUntilIdle();
  EXPECT_EQ(*scrubs.LastTimeMs(), last_ms);
}

TEST_F(ScrubsTest, StopsAndGoesOnLater) {
  {
    Scrubs slow(*engine_, 1);  // a byte a second
    std::jthread stopping([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      slow.Stop();
    });
    const auto scrub = slow.Run(Scrubs::Start::kBeginning);
    ASSERT_FALSE(scrub);
    EXPECT_THAT(scrub.error().message(), HasSubstr("stopped"));
    EXPECT_FALSE(slow.Run(Scrubs::Start::kBeginning));
  }
  Scrubs scrubs(*engine_, 0);
  EXPECT_TRUE(scrubs.Run(Scrubs::Start::kWhereItWas));
}

TEST_F(ScrubsTest, OneAtATime) {
  Scrubs slow(*engine_, 1);
  std::jthread first([&] { static_cast<void>(slow.Run(Scrubs::Start::kBeginning)); });
  std::string message;
  while (message.empty()) {
    Scrubs::Start start = Scrubs::Start::kBeginning;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const auto second = slow.Run(start);
    if (!second) message = second.error().message();
  }
  EXPECT_THAT(message, HasSubstr("A scrub is running"));
  slow.Stop();
}

}  // namespace
}  // namespace monotable::backup

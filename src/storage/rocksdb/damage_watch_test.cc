#include "storage/rocksdb/damage_watch.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/rocksdb/damaged_files_for_tests.h"
#include "storage/rocksdb/rocksdb_store_for_tests.h"
#include "storage/temporary_folder_for_tests.h"

// What an open store does when a table file is damaged.
namespace monotable::storage {

namespace {

using testing::HasSubstr;
using testing::SizeIs;

constexpr int kTableKeyCount = 2000;

// A store with a flipped byte in the middle of its table file, and what it reports.
class DamageWatchTest : public testing::Test {
 protected:
  void SetUp() override {
    file_ = MakeTableFiles(folder_.path(), kTableKeyCount).at(0);
    FlipByte(file_, std::filesystem::file_size(file_) / 2);
    options_.report_damage = [this](const Damage& damage, const Reader&) {
      const std::lock_guard lock(mutex_);
      reports_.push_back(damage);
      reported_.notify_all();
    };
    store_ = Open(folder_.path(), options_);
  }

  std::vector<Damage> WaitForReports() {
    std::unique_lock lock(mutex_);
    reported_.wait_for(lock, std::chrono::seconds(20), [this] { return !reports_.empty(); });
    return reports_;
  }

  // Reads all keys and returns those that cannot be read.
  std::vector<std::string> UnreadableKeys() {
    std::vector<std::string> unreadable;
    std::string value;
    for (const std::string& key : TableKeys(kTableKeyCount)) {
      if (!store_->Latest().Get(key, &value)) unreadable.push_back(key);
    }
    return unreadable;
  }

  const TemporaryFolder folder_;
  std::string file_;
  RocksDbOptions options_;
  std::mutex mutex_;
  std::condition_variable reported_;
  std::vector<Damage> reports_;
  std::unique_ptr<Store> store_;
};

TEST_F(DamageWatchTest, ReadsOfOtherKeysGoOn) {
  const std::vector<std::string> unreadable = UnreadableKeys();
  EXPECT_GT(unreadable.size(), 0u);
  EXPECT_LT(unreadable.size(), 100u);
  const std::vector<Damage> reports = WaitForReports();
  ASSERT_THAT(reports, SizeIs(1));
  EXPECT_EQ(reports[0].file, file_);
  EXPECT_GT(reports[0].offset, 0u);
  for (const std::string& key : unreadable) EXPECT_TRUE(reports[0].keys.Contains(key)) << key;
  EXPECT_LE(reports[0].keys.begin, unreadable.front() + '\0');
}

TEST_F(DamageWatchTest, WritesOfOtherKeysGoOn) {
  const std::string bad = UnreadableKeys().at(0);
  const Status status = UpdateAndWait(
      *store_, {bad}, [&](Values, const Commit&, Batch* batch) { batch->Put(bad, "new"); });
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message(), HasSubstr("damaged"));
  for (const std::string& key : TableKeys(10)) EXPECT_TRUE(Put(*store_, key, "new"));
}

// A counter that cannot be read used to fail every update of its group.
TEST_F(DamageWatchTest, ACounterThatCannotBeReadFailsItsUpdateAlone) {
  const std::string bad = UnreadableKeys().at(0);
  std::vector<std::thread> threads;
  std::atomic<int> failed = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const std::string key = "new" + std::to_string(i);
      for (int j = 0; j < 50; ++j) {
        const Status status =
            UpdateAndWait(*store_, {key}, [&](Values, const Commit&, Batch* batch) {
              batch->Put(key, std::to_string(j));
              if (i == 0) batch->Increment(bad, 1);
            });
        if (i == 0) EXPECT_FALSE(status);
        if (i > 0 && !status) ++failed;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
}

TEST_F(DamageWatchTest, ScrubFindsWhatNobodyReads) {
  uint64_t last_file = 0;
  const auto report = store_->Scrub({.progress = [&](uint64_t file) { last_file = file; }});
  ASSERT_TRUE(report);
  ASSERT_THAT(report->damage, SizeIs(1));
  EXPECT_EQ(report->damage[0].file, file_);
  EXPECT_GE(report->files, 1u);
  EXPECT_GE(report->bytes, std::filesystem::file_size(file_));
  // It is reported once.
  ASSERT_TRUE(store_->Scrub({}));
  EXPECT_THAT(WaitForReports(), SizeIs(1));
  // What was read before is not read again.
  const auto rest = store_->Scrub({.after_file = last_file});
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->files, 0u);
}

TEST_F(DamageWatchTest, ScrubStops) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(store_->Scrub({.stop = stop.get_token()}));
}

// A compaction that met damage used to end all writes until a restart.
TEST_F(DamageWatchTest, WritesGoOnAfterACompactionMetDamage) {
  store_.reset();
  options_.write_buffer_bytes = size_t{64} << 10;
  options_.durability = Durability::kRelaxed;
  store_ = Open(folder_.path(), options_);
  testing::internal::CaptureStderr();
  const std::vector<std::string> keys = TableKeys(kTableKeyCount);
  for (int round = 0; round < 60; ++round) {
    for (int i = 0; i < 40; ++i) {
      // Keys without reading them, all over the range, so that files must be merged.
      const std::string& key = keys[static_cast<size_t>(i * 50)];
      ASSERT_TRUE(UpdateAndWait(*store_, {}, [&](Values, const Commit&, Batch* batch) {
        batch->Put(key, std::string(2000, static_cast<char>('a' + round % 26)));
      })) << round;
    }
  }
  const std::vector<Damage> reports = WaitForReports();
  EXPECT_TRUE(Put(*store_, "after", "v"));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("files are no longer merged"));
  ASSERT_THAT(reports, SizeIs(1));
  EXPECT_EQ(reports[0].file, file_);
}

}  // namespace

}  // namespace monotable::storage

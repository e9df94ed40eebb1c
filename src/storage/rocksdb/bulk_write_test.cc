#include "storage/rocksdb/bulk_write.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/rocksdb/failing_file_system_for_tests.h"
#include "storage/rocksdb/rocksdb_store.h"
#include "storage/store_conformance_fixture.h"
#include "storage/temporary_folder_for_tests.h"

namespace monotable::storage {

namespace {

using testing::HasSubstr;
using Fault = FailingFileSystem::Fault;

class RocksDbBulkWriteTest : public testing::Test {
 protected:
  RocksDbBulkWriteTest() {
    options_.env = env_.get();
    options_.bulk_file_bytes = size_t{100} << 10;
    Open();
  }

  void Open() {
    store_.reset();
    auto store = OpenRocksDbStore(data_, options_);
    ASSERT_TRUE(store) << store.error().message();
    store_ = *std::move(store);
  }

  std::unique_ptr<BulkWrite> Start() {
    auto bulk_write = store_->StartBulkWrite();
    EXPECT_TRUE(bulk_write);
    return *std::move(bulk_write);
  }

  // Puts values that do not compress: about ten times the size of a file.
  Status PutMany(BulkWrite& bulk_write) {
    std::minstd_rand random(1);
    for (int i = 0; i < kMany; ++i) {
      std::string value(10000, '\0');
      for (char& c : value) c = static_cast<char>(random() >> 16);
      TRY(bulk_write.Put(std::to_string(1000 + i), value));
    }
    return {};
  }

  uint64_t UpdateSequence() {
    uint64_t sequence = 0;
    EXPECT_TRUE(UpdateAndWait(*store_, {}, [&](Values, const Commit& commit, Batch* batch) {
      sequence = commit.sequence;
      batch->Increment("count", 1);
    }));
    return sequence;
  }

  static int CountKeys(const Reader& reader) {
    int count = 0;
    const auto cursor = reader.Scan({"0", "9"}, Direction::kForward);
    for (; cursor->Valid(); cursor->Next()) ++count;
    EXPECT_TRUE(cursor->status());
    return count;
  }

  size_t BulkFiles() const {
    size_t files = 0;
    std::error_code error;
    for (std::filesystem::recursive_directory_iterator file(data_ + "/bulk", error), end;
         !error && file != end; ++file) {
      ++files;
    }
    return files;
  }

  static constexpr int kMany = 100;

  const TemporaryFolder folder_;
  const std::string data_ = folder_.path() + "/data";
  const std::shared_ptr<FailingFileSystem> files_ = std::make_shared<FailingFileSystem>(".sst");
  const std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(files_);
  RocksDbOptions options_;
  std::unique_ptr<Store> store_;
};

TEST_F(RocksDbBulkWriteTest, WritesFilesOfASizeAndLeavesNoneBehind) {
  auto bulk_write = Start();
  ASSERT_TRUE(PutMany(*bulk_write));
  EXPECT_GE(BulkFiles(), 9u);
  EXPECT_EQ(CountKeys(store_->Latest()), 0);
  ASSERT_TRUE(bulk_write->Finish());
  EXPECT_EQ(BulkFiles(), 0u);
  EXPECT_EQ(CountKeys(store_->Latest()), kMany);

  bulk_write = Start();
  ASSERT_TRUE(bulk_write->Put("a", "v"));
  bulk_write.reset();
  EXPECT_EQ(BulkFiles(), 0u);
}

TEST_F(RocksDbBulkWriteTest, OpeningRemovesWhatAKilledProcessLeft) {
  store_.reset();
  std::filesystem::create_directories(data_ + "/bulk/7");
  std::ofstream(data_ + "/bulk/7/1.sst") << "half a file";
  Open();
  EXPECT_EQ(BulkFiles(), 0u);
  EXPECT_EQ(CountKeys(store_->Latest()), 0);
}

TEST_F(RocksDbBulkWriteTest, FullDiskLeavesNothing) {
  for (const bool sync : {false, true}) {
    (sync ? files_->on_sync : files_->on_append) = Fault::kNoSpace;
    const auto bulk_write = Start();
    Status status = PutMany(*bulk_write);
    EXPECT_FALSE(status);
    EXPECT_EQ(BulkFiles(), 0u);
    status = bulk_write->Finish();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code(), ErrorCode::kUnavailable);
    EXPECT_THAT(status.error().message(), HasSubstr("full"));
    EXPECT_FALSE(bulk_write->Put("9", "v"));
    (sync ? files_->on_sync : files_->on_append) = Fault::kNone;
    EXPECT_FALSE(bulk_write->Finish());
    EXPECT_EQ(CountKeys(store_->Latest()), 0);
  }
  const auto bulk_write = Start();
  ASSERT_TRUE(PutMany(*bulk_write));
  EXPECT_TRUE(bulk_write->Finish());
  EXPECT_EQ(CountKeys(store_->Latest()), kMany);
}

TEST_F(RocksDbBulkWriteTest, FailsAtTheEndWhenTheLastFileDoesNotFit) {
  const auto bulk_write = Start();
  ASSERT_TRUE(bulk_write->Put("1", "small enough to be in memory still"));
  files_->on_append = Fault::kNoSpace;
  EXPECT_FALSE(bulk_write->Finish());
  files_->on_append = Fault::kNone;
  EXPECT_EQ(BulkFiles(), 0u);
  EXPECT_EQ(CountKeys(store_->Latest()), 0);
  EXPECT_GT(UpdateSequence(), 0u);
}

// What is in the folder at the moment in which Finish returns is all that a crash leaves.
TEST_F(RocksDbBulkWriteTest, IsDurableWhenFinished) {
  UpdateSequence();
  const auto bulk_write = Start();
  ASSERT_TRUE(PutMany(*bulk_write));
  ASSERT_TRUE(bulk_write->Finish());
  UpdateSequence();
  const std::string copy = folder_.path() + "/copy";
  std::filesystem::copy(data_, copy, std::filesystem::copy_options::recursive);
  auto store = OpenRocksDbStore(copy, options_);
  ASSERT_TRUE(store) << store.error().message();
  EXPECT_EQ(CountKeys((*store)->Latest()), kMany);
  std::string value;
  ASSERT_TRUE(*(*store)->Latest().Get("count", &value));
  EXPECT_EQ(value[0], 2);
}

TEST_F(RocksDbBulkWriteTest, SequencesKeepRising) {
  uint64_t last = 0;
  for (int round = 0; round < 6; ++round) {
    {
      // Under a snapshot, and where it overwrites, a bulk write takes numbers of RocksDB's own.
      const auto snapshot = round % 2 == 0 ? store_->Snapshot() : nullptr;
      const auto bulk_write = Start();
      ASSERT_TRUE(PutMany(*bulk_write));
      ASSERT_TRUE(bulk_write->Finish());
    }
    if (round % 3 != 0) {
      const uint64_t sequence = UpdateSequence();
      EXPECT_GT(sequence, last);
      last = sequence;
    }
    Open();
    // The newest write wins, so RocksDB, too, went on after all it had before.
    const std::string value = std::to_string(round);
    ASSERT_TRUE(UpdateAndWait(*store_, {"1050"}, [&](Values, const Commit& commit, Batch* batch) {
      EXPECT_GT(commit.sequence, last);
      last = commit.sequence;
      batch->Put("1050", value);
    }));
    std::string found;
    ASSERT_TRUE(*store_->Latest().Get("1050", &found));
    EXPECT_EQ(found, value);
  }
}

}  // namespace

}  // namespace monotable::storage

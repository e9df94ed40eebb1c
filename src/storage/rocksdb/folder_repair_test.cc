#include "storage/rocksdb/folder_repair.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/rocksdb/damaged_files_for_tests.h"
#include "storage/rocksdb/rocksdb_store_for_tests.h"
#include "storage/temporary_folder_for_tests.h"

namespace monotable::storage {

namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::SizeIs;

constexpr int kFileKeys = 2000;
constexpr int kLogKeys = 40;

// A folder with keys in a table file and other keys in a log.
class FolderRepairTest : public testing::Test {
 protected:
  void SetUp() override {
    table_ = MakeTableFiles(path(), kFileKeys).at(0);
    {
      const auto store = Open(path());
      for (int i = 0; i < kLogKeys; ++i) {
        ASSERT_TRUE(Put(*store, std::to_string(i), std::string(1000, 'x')));
      }
    }
    log_ = FilesOf(path(), ".log").back();
  }

  std::string path() const { return folder_.path() + "/data"; }

  FolderReport Inspect() {
    Pace pace;
    auto report = InspectFolder(path(), Durability::kSync, &pace);
    EXPECT_TRUE(report) << report.error().message();
    return report ? *std::move(report) : FolderReport();
  }

  // Repairs the folder and returns how many of the keys in the table and in the log are left.
  std::pair<int, int> KeysAfterRepair() {
    {
      const auto kept = RepairFolder(path(), Inspect());
      EXPECT_TRUE(kept) << kept.error().message();
      if (kept) EXPECT_TRUE(fs::is_directory(*kept));
    }
    EXPECT_FALSE(Inspect().damaged());
    const auto store = Open(path());
    if (store == nullptr) return {-1, -1};
    std::pair<int, int> found = {0, 0};
    for (const std::string& key : TableKeys(kFileKeys)) {
      std::string value;
      const Result<bool> got = store->Latest().Get(key, &value);
      EXPECT_TRUE(got) << got.error().message();
      if (got && *got) ++found.first;
    }
    while (Has(*store, std::to_string(found.second))) ++found.second;
    EXPECT_EQ(Count(*store), found.second);
    EXPECT_TRUE(Put(*store, "after", "v"));
    return found;
  }

  const TemporaryFolder folder_;
  std::string table_;
  std::string log_;
};

TEST_F(FolderRepairTest, FindsNothingInAGoodFolder) {
  const FolderReport report = Inspect();
  EXPECT_FALSE(report.damaged());
  EXPECT_GE(report.files, 1u);
  EXPECT_GT(report.bytes, 100'000u);
  std::string value;
  ASSERT_NE(report.reader, nullptr);
  EXPECT_TRUE(*report.reader->Get("0", &value));
}

TEST_F(FolderRepairTest, InspectingChangesNothing) {
  FlipByte(log_, fs::file_size(log_) / 2);
  FlipByte(table_, fs::file_size(table_) / 2);
  std::vector<std::pair<std::string, uint64_t>> before;
  const auto list = [&] {
    std::vector<std::pair<std::string, uint64_t>> files;
    for (const auto& file : fs::directory_iterator(path())) {
      files.emplace_back(file.path().string(), file.is_directory() ? 0 : file.file_size());
    }
    std::sort(files.begin(), files.end());
    return files;
  };
  before = list();
  EXPECT_TRUE(Inspect().damaged());
  EXPECT_EQ(list(), before);
}

TEST_F(FolderRepairTest, KeepsTheLogUpToTheDamage) {
  FlipByte(log_, fs::file_size(log_) / 2);
  EXPECT_TRUE(Inspect().damaged());
  const auto [in_table, in_log] = KeysAfterRepair();
  EXPECT_EQ(in_table, kFileKeys);
  EXPECT_GT(in_log, kLogKeys / 3);
  EXPECT_LT(in_log, kLogKeys / 2 + 1);
}

TEST_F(FolderRepairTest, GoesOnWithoutALogThatIsMissing) {
  fs::remove(log_);
  const FolderReport report = Inspect();
  ASSERT_FALSE(report.logs.logs.empty());
  EXPECT_FALSE(report.logs.logs.back().exists);
  EXPECT_EQ(KeysAfterRepair(), std::make_pair(kFileKeys, 0));
}

TEST_F(FolderRepairTest, DropsABadBlock) {
  FlipByte(table_, fs::file_size(table_) / 2);
  const FolderReport report = Inspect();
  ASSERT_THAT(report.blocks, SizeIs(1));
  EXPECT_EQ(report.blocks[0].file, table_);
  const auto [in_table, in_log] = KeysAfterRepair();
  EXPECT_GT(in_table, kFileKeys - 100);
  EXPECT_LT(in_table, kFileKeys);
  EXPECT_EQ(in_log, kLogKeys);
}

TEST_F(FolderRepairTest, DropsAFileThatCannotBeRead) {
  FlipByte(table_, fs::file_size(table_) - 10);
  const FolderReport report = Inspect();
  ASSERT_THAT(report.lost, SizeIs(1));
  EXPECT_EQ(report.lost[0].keys.begin, TableKeys(kFileKeys).front());
  EXPECT_EQ(KeysAfterRepair(), std::make_pair(0, kLogKeys));
}

TEST_F(FolderRepairTest, GoesOnWithoutAFileThatIsMissing) {
  fs::remove(table_);
  const FolderReport report = Inspect();
  ASSERT_THAT(report.lost, SizeIs(1));
  EXPECT_FALSE(report.lost[0].exists);
  EXPECT_EQ(report.lost[0].keys.begin, TableKeys(kFileKeys).front());
  EXPECT_EQ(KeysAfterRepair(), std::make_pair(0, kLogKeys));
}

TEST_F(FolderRepairTest, FindsTheListOfFilesAgain) {
  fs::remove(path() + "/CURRENT");
  EXPECT_NE(Inspect().root, "");
  EXPECT_EQ(KeysAfterRepair(), std::make_pair(kFileKeys, kLogKeys));
}

TEST_F(FolderRepairTest, NeedsTheListOfFiles) {
  for (const auto& file : fs::directory_iterator(path())) {
    if (file.path().filename().string().starts_with("MANIFEST-")) fs::remove(file.path());
  }
  const FolderReport report = Inspect();
  EXPECT_NE(report.root, "");
  const auto kept = RepairFolder(path(), report);
  ASSERT_FALSE(kept);
  EXPECT_THAT(kept.error().message(), HasSubstr("Restore a backup"));
  EXPECT_TRUE(fs::exists(table_));
  EXPECT_TRUE(fs::exists(log_));
}

// The change log relies on sequences that never come back.
TEST_F(FolderRepairTest, SequencesGoOn) {
  const auto next_sequence = [&] {
    const auto store = Open(path());
    EXPECT_TRUE(Put(*store, "next", "v"));
    return store->LastSequence();
  };
  const uint64_t before = next_sequence();
  for (const std::string& file : FilesOf(path(), ".sst")) fs::remove(file);
  ASSERT_TRUE(RepairFolder(path(), Inspect()));
  EXPECT_GT(next_sequence(), before);
}

TEST_F(FolderRepairTest, LeavesAFolderInUseAlone) {
  const auto store = Open(path());
  Pace pace;
  const auto report = InspectFolder(path(), Durability::kSync, &pace);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message(), HasSubstr("in use"));
  EXPECT_FALSE(InspectFolder(path() + "/no", Durability::kSync, &pace));
}

}  // namespace

}  // namespace monotable::storage

#include "storage/rocksdb/table_files.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include "storage/rocksdb/damaged_files_for_tests.h"
#include "storage/rocksdb/rocksdb_store_for_tests.h"
#include "storage/temporary_folder_for_tests.h"

namespace monotable::storage {

namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<Damage> Inspect(const std::string& path) {
  Pace pace;
  auto damage = InspectTableFile(rocksdb::FileSystem::Default(), path, &pace);
  EXPECT_TRUE(damage) << damage.error().message();
  return damage ? *std::move(damage) : std::vector<Damage>();
}

TEST(TableFilesTest, AGoodFileHasNoDamage) {
  const TemporaryFolder folder;
  for (const auto& path : MakeTableFiles(folder.path(), 2000))
    EXPECT_THAT(Inspect(path), IsEmpty());
}

TEST(TableFilesTest, FindsEachBadBlockAndItsKeys) {
  const TemporaryFolder folder;
  const std::string path = MakeTableFiles(folder.path(), 2000).at(0);
  const uint64_t middle = fs::file_size(path) / 2;
  FlipByte(path, 100);
  FlipByte(path, middle);
  FlipByte(path, middle + 2);
  const std::vector<Damage> damage = Inspect(path);
  ASSERT_THAT(damage, SizeIs(2));
  EXPECT_EQ(damage[0].offset, 0u);
  EXPECT_EQ(damage[0].keys.begin, "");
  EXPECT_LE(damage[1].offset, middle);
  EXPECT_GT(damage[1].offset + damage[1].bytes + 5, middle);
  EXPECT_LT(damage[0].keys.end, damage[1].keys.begin);
  EXPECT_LT(damage[1].keys.begin, damage[1].keys.end);
}

TEST(TableFilesTest, DropsBadBlocksAndKeepsTheRest) {
  const TemporaryFolder folder;
  const std::string path = MakeTableFiles(folder.path(), 2000).at(0);
  FlipByte(path, fs::file_size(path) / 2);
  const std::vector<Damage> damage = Inspect(path);
  ASSERT_THAT(damage, SizeIs(1));
  ASSERT_TRUE(DropDamagedBlocks(rocksdb::FileSystem::Default(), path));
  EXPECT_THAT(Inspect(path), IsEmpty());
  const auto store = Open(folder.path());
  int lost = 0;
  const auto cursor = store->Latest().Scan({"k", "l"}, Direction::kForward);
  for (const std::string& key : TableKeys(2000)) {
    if (cursor->Valid() && cursor->key() == key) {
      cursor->Next();
      continue;
    }
    ++lost;
    EXPECT_TRUE(damage[0].keys.Contains(key)) << key;
  }
  EXPECT_TRUE(cursor->status());
  EXPECT_GT(lost, 0);
  EXPECT_LT(lost, 200);
}

TEST(TableFilesTest, DamageBehindTheDataLosesTheFile) {
  const TemporaryFolder folder;
  const std::string path = MakeTableFiles(folder.path(), 2000).at(0);
  FlipByte(path, fs::file_size(path) - 10);
  const std::vector<Damage> damage = Inspect(path);
  ASSERT_THAT(damage, SizeIs(1));
  EXPECT_EQ(damage[0].bytes, 0u);
  EXPECT_FALSE(DropDamagedBlocks(rocksdb::FileSystem::Default(), path));
}

TEST(TableFilesTest, APaceStopsAndSlowsDown) {
  const TemporaryFolder folder;
  const std::string path = MakeTableFiles(folder.path(), 2000).at(0);
  std::stop_source stop;
  Pace slow(fs::file_size(path) * 20, stop.get_token());
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(InspectTableFile(rocksdb::FileSystem::Default(), path, &slow));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(30));
  stop.request_stop();
  EXPECT_FALSE(InspectTableFile(rocksdb::FileSystem::Default(), path, &slow));
}

}  // namespace

}  // namespace monotable::storage

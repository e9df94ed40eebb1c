#include "storage/rocksdb/rocksdb_store.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/rocksdb/rocksdb_store_for_tests.h"
#include "storage/temporary_folder_for_tests.h"

namespace monotable::storage {

namespace {

using testing::HasSubstr;

std::string OpenMessage(const std::string& path) {
  auto store = OpenRocksDbStore(path);
  if (store) return "opened";
  EXPECT_THAT(store.error().message(), HasSubstr("The data folder " + path));
  EXPECT_THAT(store.error().message(), testing::Not(HasSubstr("\n")));
  return store.error().message();
}

TEST(RocksDbStoreTest, OneProcessPerFolder) {
  const TemporaryFolder folder;
  auto store = Open(folder.path());
  EXPECT_THAT(OpenMessage(folder.path()), HasSubstr("is in use by another process"));
  EXPECT_TRUE(Put(*store, "a", "v"));
}

TEST(RocksDbStoreTest, MakesFolders) {
  const TemporaryFolder folder;
  EXPECT_EQ(OpenMessage(folder.path() + "/a/b"), "opened");
}

TEST(RocksDbStoreTest, TellsWhatIsWrongWithAFolder) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/file";
  std::ofstream(file) << "not a folder";
  EXPECT_THAT(OpenMessage(file), HasSubstr("is a file"));
  EXPECT_THAT(OpenMessage(file + "/below"), HasSubstr("cannot be made"));
}

// To pass over many deleted keys would hold up all updates.
TEST(RocksDbStoreTest, ARangeOfManyDeletedKeysIsNotReadAgain) {
  const TemporaryFolder folder;
  auto store = Open(folder.path());
  const auto key = [](int i) { return "in one partition " + std::to_string(100'000 + i); };
  for (const bool deletes : {false, true}) {
    ASSERT_TRUE(UpdateAndWait(*store, {}, [&](Values, const Commit&, Batch* batch) {
      for (int i = 0; i < 25'000; ++i) {
        if (deletes) {
          batch->Delete(key(i));
        } else {
          batch->Put(key(i), "");
        }
      }
    }));
  }
  const Range range{key(0), key(99'999)};
  EXPECT_FALSE(HoldsWhenDecided(*store, SeenRange{range}));
  const SeenRange seen = See(*store, range);
  EXPECT_TRUE(seen.entries.empty());
  EXPECT_TRUE(HoldsWhenDecided(*store, seen)) << "nobody has written to it";
  ASSERT_TRUE(Put(*store, "elsewhere", ""));
  EXPECT_TRUE(HoldsWhenDecided(*store, seen));
  ASSERT_TRUE(Put(*store, "in one partition, beside the range", ""));
  EXPECT_FALSE(HoldsWhenDecided(*store, seen)) << "without reading this cannot be known";
  EXPECT_TRUE(HoldsWhenDecided(*store, See(*store, range)));
}

// Damages the files of a store whose names begin or end so.
std::string MessageAfterDamage(const std::string& name,
                               const std::function<void(const std::filesystem::path&)>& damage) {
  const TemporaryFolder folder;
  for (int i = 0; i < 3; ++i) {
    auto store = Open(folder.path());
    for (int j = 0; j < 3; ++j) {
      EXPECT_TRUE(Put(*store, std::to_string(j), std::string(1000, 'x')));
    }
  }
  int damaged = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    const std::string found = file.path().filename().string();
    if (!found.starts_with(name) && !found.ends_with(name)) continue;
    damage(file.path());
    ++damaged;
  }
  EXPECT_GT(damaged, 0) << name;
  std::string message = OpenMessage(folder.path());
  // Nothing was cleared away: the message is the same the second time.
  EXPECT_EQ(OpenMessage(folder.path()), message);
  return message;
}

TEST(RocksDbStoreTest, RefusesDamagedFolders) {
  auto remove = [](const std::filesystem::path& file) { std::filesystem::remove(file); };
  auto empty = [](const std::filesystem::path& file) { std::filesystem::resize_file(file, 0); };
  auto overwrite_middle = [](const std::filesystem::path& file) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(std::filesystem::file_size(file) / 2));
    stream << "damage";
  };
  for (const char* name : {"CURRENT", "MANIFEST-", ".sst"}) {
    EXPECT_THAT(MessageAfterDamage(name, remove), HasSubstr("is damaged")) << name;
    EXPECT_THAT(MessageAfterDamage(name, empty), HasSubstr("is damaged")) << name;
  }
  EXPECT_THAT(MessageAfterDamage("MANIFEST-", overwrite_middle), HasSubstr("is damaged"));
  // Acknowledged writes come after the damage, so going on without them is not an option.
  EXPECT_THAT(MessageAfterDamage(".log", overwrite_middle), HasSubstr("is damaged"));
}

TEST(RocksDbStoreTest, TellsWhenAFolderCannotBeWritten) {
  const TemporaryFolder folder;
  ASSERT_EQ(chmod(folder.path().c_str(), 0500), 0);
  const bool is_root = geteuid() == 0;
  constexpr uid_t kNobody = 65534;
  if (is_root) {
    ASSERT_EQ(seteuid(kNobody), 0);
  }
  const std::string message = OpenMessage(folder.path());
  if (is_root) {
    ASSERT_EQ(seteuid(0), 0);
  }
  EXPECT_THAT(message, HasSubstr("cannot be written (Permission denied)"));
}

TEST(RocksDbStoreTest, TimeDoesNotGoBack) {
  const TemporaryFolder folder;
  std::atomic<int64_t> now = 1000;
  RocksDbOptions options;
  options.now = [&] { return now.load(); };
  auto store = Open(folder.path(), options);
  auto time_ms = [&] {
    int64_t seen = 0;
    EXPECT_TRUE(UpdateAndWait(
        *store, {}, [&](Values, const Commit& commit, Batch*) { seen = commit.time_ms; }));
    return seen;
  };
  EXPECT_EQ(time_ms(), 1000);
  now = 900;
  EXPECT_EQ(time_ms(), 1000);
  now = 1001;
  EXPECT_EQ(time_ms(), 1001);
}

}  // namespace

}  // namespace monotable::storage

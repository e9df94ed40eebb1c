#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "storage/rocksdb/rocksdb_store_for_tests.h"
#include "storage/temporary_folder_for_tests.h"

namespace monotable::storage {

namespace {

using testing::HasSubstr;

std::unique_ptr<Store> OpenSmall(const std::string& path) {
  RocksDbOptions options;
  options.write_buffer_bytes = size_t{256} << 10;  // flushes all the time
  return Open(path, options);
}

std::string Value(const Reader& reader, const std::string& key) {
  std::string value;
  const Result<bool> found = reader.Get(key, &value);
  return found && *found ? value : "";
}

void PutOne(Store& store, const std::string& key, const std::string& value) {
  EXPECT_TRUE(UpdateAndWait(store, {key},
                            [&](Values, const Commit&, Batch* batch) { batch->Put(key, value); }));
}

std::string Message(Store& store, const std::string& folder) {
  const auto reader = store.Checkpoint(folder);
  return reader ? "made" : reader.error().message();
}

TEST(CheckpointTest, HoldsTheMomentOfItsReader) {
  const TemporaryFolder folder;
  const auto store = OpenSmall(folder.path() + "/data");
  std::atomic<bool> stop = false;
  std::atomic<int> round = 0;
  std::thread updates([&] {
    for (; !stop; ++round) {
      ASSERT_TRUE(UpdateAndWait(*store, {"a", "b"}, [&](Values, const Commit&, Batch* batch) {
        batch->Put("a", std::to_string(round));
        batch->Put("b" + std::to_string(round % 100), std::string(2000, 'x'));
        batch->Put("c", std::to_string(round));
        batch->Put(kLogPrefix + std::to_string(round), std::string(2000, 'x'));
      }));
    }
  });
  std::thread bulk_writes([&] {
    for (int i = 0; !stop; ++i) {
      auto bulk_write = store->StartBulkWrite();
      ASSERT_TRUE(bulk_write);
      for (int j = 0; j < 100; ++j) {
        ASSERT_TRUE((*bulk_write)->Put("d" + std::to_string(1000000 + i * 100 + j), "v"));
      }
      ASSERT_TRUE((*bulk_write)->Finish());
    }
  });
  for (int i = 0; i < 10; ++i) {
    // Something is acknowledged in between, and must be in the checkpoint.
    const int before = round;
    while (round == before) std::this_thread::yield();
    const int acknowledged = round - 1;
    const std::string path = folder.path() + "/checkpoint" + std::to_string(i);
    const auto reader = store->Checkpoint(path);
    ASSERT_TRUE(reader) << reader.error().message();
    EXPECT_GE(std::stoi(Value(**reader, "a")), acknowledged);
    EXPECT_EQ(Value(**reader, "a"), Value(**reader, "c"));
    const auto copy = OpenSmall(path);
    ASSERT_NE(copy, nullptr);
    const Entries entries = Everything(copy->Latest());
    EXPECT_TRUE(entries == Everything(**reader));
    const auto bulk = std::count_if(entries.begin(), entries.end(),
                                    [](const auto& entry) { return entry.first[0] == 'd'; });
    EXPECT_EQ(bulk % 100, 0);
    const auto logged = std::count_if(entries.begin(), entries.end(),
                                      [](const auto& entry) { return IsLogKey(entry.first); });
    EXPECT_EQ(logged, std::stoi(Value(**reader, "a")) + 1);
  }
  stop = true;
  updates.join();
  bulk_writes.join();
}

TEST(CheckpointTest, IsAStoreOfItsOwn) {
  const TemporaryFolder folder;
  auto store = OpenSmall(folder.path() + "/data");
  PutOne(*store, "a", "first");
  const std::string path = folder.path() + "/new/checkpoint";
  auto reader = store->Checkpoint(path);
  ASSERT_TRUE(reader) << reader.error().message();
  PutOne(*store, "a", "second");
  EXPECT_EQ(Value(**reader, "a"), "first");
  const auto copy = OpenSmall(path);
  EXPECT_EQ(Value(copy->Latest(), "a"), "first");
  PutOne(*copy, "a", "third");
  EXPECT_EQ(Value(store->Latest(), "a"), "second");
  reader = Error::Internal("closed");
  store.reset();
  store = OpenSmall(folder.path() + "/data");
  EXPECT_EQ(Value(store->Latest(), "a"), "second");
}

TEST(CheckpointTest, OfAnEmptyStore) {
  const TemporaryFolder folder;
  const auto store = OpenSmall(folder.path() + "/data");
  ASSERT_EQ(Message(*store, folder.path() + "/checkpoint"), "made");
  EXPECT_EQ(Everything(OpenSmall(folder.path() + "/checkpoint")->Latest()), Entries());
}

TEST(CheckpointTest, NeedsANewFolderOnTheSameDisk) {
  const TemporaryFolder folder;
  const auto store = OpenSmall(folder.path() + "/data");
  EXPECT_THAT(Message(*store, folder.path()), HasSubstr("The folder " + folder.path() + " exists"));
  EXPECT_THAT(Message(*store, folder.path() + "/data/CURRENT/below"), HasSubstr("cannot be made"));
  const std::string elsewhere = "/dev/shm/monotable-checkpoint-test";
  struct stat here = {};
  struct stat there = {};
  if (stat(folder.path().c_str(), &here) != 0 || stat("/dev/shm", &there) != 0 ||
      here.st_dev == there.st_dev) {
    GTEST_SKIP() << "there is no second disk here";
  }
  EXPECT_THAT(Message(*store, elsewhere), HasSubstr("is on another disk"));
  EXPECT_FALSE(std::filesystem::exists(elsewhere));
}

}  // namespace

}  // namespace monotable::storage

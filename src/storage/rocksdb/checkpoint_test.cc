#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
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

// Calls a function with the name of a file before the file is created.
class WatchedFileSystem : public rocksdb::FileSystemWrapper {
 public:
  WatchedFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "WatchedFileSystem"; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    before_file(name);
    return target()->NewWritableFile(name, options, file, debug);
  }

  std::function<void(const std::string& name)> before_file = [](const std::string&) {};
};

TEST(CheckpointTest, UpdatesGoOnWhileFilesAreCopied) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/checkpoint";
  const auto files = std::make_shared<WatchedFileSystem>();
  const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(files);
  RocksDbOptions options;
  options.env = env.get();
  const auto store = Open(folder.path() + "/data", options);
  PutOne(*store, "a", "before");
  const auto done = std::make_shared<std::promise<void>>();
  const std::shared_future<void> is_done = done->get_future().share();
  bool submitted = false;
  files->before_file = [&](const std::string& name) {
    if (!name.starts_with(path)) return;
    if (!std::exchange(submitted, true)) {
      store->Submit(std::make_unique<TestUpdate>(
          std::vector<std::string>{"a"},
          [](Values, const Commit&, Batch* batch) { batch->Put("a", "after"); },
          [done](const Status&) { done->set_value(); }));
    }
    EXPECT_EQ(is_done.wait_for(std::chrono::seconds(5)), std::future_status::ready);
  };
  const auto reader = store->Checkpoint(path);
  ASSERT_TRUE(reader) << reader.error().message();
  EXPECT_TRUE(submitted);
  EXPECT_EQ(Value(**reader, "a"), "before");
  EXPECT_EQ(Value(store->Latest(), "a"), "after");
  EXPECT_EQ(Value(Open(path)->Latest(), "a"), "before");
}

bool IsInCompaction() {
  char name[16] = {};
  pthread_getname_np(pthread_self(), name, sizeof(name));
  return std::string_view(name) == "rocksdb:low";
}

// Otherwise each would leave a table file, and updates would wait until RocksDB has merged them.
TEST(CheckpointTest, ManyInARowDoNotFlushEachTime) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/checkpoint";
  const auto files = std::make_shared<WatchedFileSystem>();
  std::promise<void> merge;
  files->before_file = [may_merge = merge.get_future().share()](const std::string&) {
    if (IsInCompaction()) may_merge.wait();
  };
  const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(files);
  RocksDbOptions options;
  options.env = env.get();
  const auto store = Open(folder.path() + "/data", options);
  for (int i = 0; i < 15; ++i) {
    PutOne(*store, "a", std::to_string(i));
    ASSERT_EQ(Message(*store, path), "made");
    const auto tables =
        std::count_if(std::filesystem::directory_iterator(path), {},
                      [](const auto& file) { return file.path().extension() == ".sst"; });
    EXPECT_EQ(tables, std::min(i + 1, 10));
    EXPECT_EQ(Value(Open(path)->Latest(), "a"), std::to_string(i));
    std::filesystem::remove_all(path);
  }
  merge.set_value();
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

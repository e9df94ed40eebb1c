#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include "storage/rocksdb/failing_file_system_for_tests.h"
#include "storage/rocksdb/rocksdb_store_for_tests.h"
#include "storage/temporary_folder_for_tests.h"

// What happens when files cannot be written.
namespace monotable::storage {

namespace {

using testing::HasSubstr;
using Fault = FailingFileSystem::Fault;

// RocksDB looks for room every five seconds.
bool PutsWithinSeconds(Store& store, const std::string& key, const std::string& value) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < deadline) {
    if (Put(store, key, value)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

// A store whose files of one kind cannot be written for a while.
struct FailingDisk {
  explicit FailingDisk(const std::string& suffix)
      : files(std::make_shared<FailingFileSystem>(suffix)), env(rocksdb::NewCompositeEnv(files)) {
    options.env = env.get();
  }
  std::unique_ptr<Store> OpenStore() const { return Open(folder.path(), options); }

  const TemporaryFolder folder;
  const std::shared_ptr<FailingFileSystem> files;
  const std::unique_ptr<rocksdb::Env> env;
  RocksDbOptions options;
};

class LogFaultTest : public testing::TestWithParam<std::tuple<Durability, bool, bool>> {
 protected:
  Durability durability() const { return std::get<0>(GetParam()); }
  bool fail_sync() const { return std::get<1>(GetParam()); }
  // Whether anything was written before the fault.
  bool written_before() const { return std::get<2>(GetParam()); }

  void SetUp() override {
    if (fail_sync() && durability() == Durability::kRelaxed) GTEST_SKIP() << "does not sync";
    disk_.options.durability = durability();
  }
  void SetFault(Fault fault) {
    (fail_sync() ? disk_.files->on_sync : disk_.files->on_append) = fault;
  }

  FailingDisk disk_{".log"};
};

TEST_P(LogFaultTest, FullDiskFailsWritesUntilThereIsRoom) {
  auto store = disk_.OpenStore();
  if (written_before()) {
    ASSERT_TRUE(Put(*store, "before", "v"));
  }
  for (int round = 0; round < 3; ++round) {
    const std::string name = std::to_string(round);
    SetFault(Fault::kNoSpace);
    for (int i = 0; i < 3; ++i) {
      const Status status = Put(*store, "lost" + name, std::string(10000, 'x'));
      ASSERT_FALSE(status);
      EXPECT_EQ(status.error().code(), ErrorCode::kUnavailable);
      EXPECT_THAT(status.error().message(), HasSubstr("full"));
      EXPECT_FALSE(Has(*store, "lost" + name));
    }
    EXPECT_EQ(Has(*store, "before"), written_before());
    SetFault(Fault::kNone);
    EXPECT_TRUE(PutsWithinSeconds(*store, "after" + name, "v"));
    EXPECT_TRUE(Put(*store, "then" + name, "v"));
  }
  const int64_t expected = 6 + (written_before() ? 1 : 0);
  EXPECT_EQ(Count(*store), expected);

  store.reset();
  store = disk_.OpenStore();
  EXPECT_EQ(Has(*store, "before"), written_before());
  for (const char* round : {"0", "1", "2"}) {
    EXPECT_TRUE(Has(*store, std::string("after") + round));
    EXPECT_TRUE(Has(*store, std::string("then") + round));
    EXPECT_FALSE(Has(*store, std::string("lost") + round));
  }
  EXPECT_EQ(Count(*store), expected);
}

TEST_P(LogFaultTest, ReopensAfterAFaultWithoutWhatFailed) {
  for (const Fault fault : {Fault::kNoSpace, Fault::kIoError}) {
    auto store = disk_.OpenStore();
    if (written_before()) {
      ASSERT_TRUE(Put(*store, "before", "v"));
    }
    SetFault(fault);
    EXPECT_FALSE(Put(*store, "lost", std::string(100000, 'x')));
    EXPECT_FALSE(Put(*store, "lost too", "v"));
    EXPECT_EQ(Has(*store, "before"), written_before());
    store.reset();
    SetFault(Fault::kNone);
    store = disk_.OpenStore();
    EXPECT_EQ(Has(*store, "before"), written_before());
    EXPECT_FALSE(Has(*store, "lost"));
    EXPECT_FALSE(Has(*store, "lost too"));
    EXPECT_TRUE(Put(*store, "after", "v"));
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, LogFaultTest,
                         testing::Combine(testing::Values(Durability::kSync, Durability::kRelaxed),
                                          testing::Bool(), testing::Bool()));

TEST(WriteFaultTest, FullDiskWhileFlushing) {
  FailingDisk disk(".sst");
  disk.options.write_buffer_bytes = size_t{256} << 10;
  auto store = disk.OpenStore();
  disk.files->on_append = Fault::kNoSpace;
  int written = 0;
  while (Put(*store, "k" + std::to_string(written), std::string(10000, 'x'))) {
    ASSERT_LT(++written, 10000);
  }
  EXPECT_EQ(Count(*store), written);
  disk.files->on_append = Fault::kNone;
  EXPECT_TRUE(PutsWithinSeconds(*store, "after", "v"));
  store.reset();
  store = disk.OpenStore();
  EXPECT_EQ(Count(*store), written + 1);
  for (int i = 0; i < written; ++i) EXPECT_TRUE(Has(*store, "k" + std::to_string(i)));
}

// The write that finds a memtable full gets empty ones, and RocksDB cannot recover with those (see
// Writer::SeedMemtable). Which write that is depends on RocksDB, so each one is tried.
TEST(WriteFaultTest, FullDiskWhenAMemtableIsExchanged) {
  constexpr int kPutsPerMemtable = 20;
  std::vector<std::thread> threads;
  for (const bool log_is_full : {false, true}) {
    for (int before = kPutsPerMemtable / 2; before <= kPutsPerMemtable + 2; ++before) {
      threads.emplace_back([=] {
        FailingDisk disk(".log");
        disk.options.write_buffer_bytes = size_t{256} << 10;
        auto store = disk.OpenStore();
        const std::string value(disk.options.write_buffer_bytes / kPutsPerMemtable, 'x');
        auto put = [&](const std::string& key) {
          return UpdateAndWait(*store, {key}, [&](Values, const Commit&, Batch* batch) {
            batch->Put(key, log_is_full ? "" : value);
            batch->Put(LogKey(key), log_is_full ? value : "");
          });
        };
        for (int i = 0; i < before; ++i) EXPECT_TRUE(put(std::to_string(i)));
        disk.files->on_append = Fault::kNoSpace;
        EXPECT_FALSE(put("lost"));
        disk.files->on_append = Fault::kNone;
        EXPECT_TRUE(PutsWithinSeconds(*store, "after", "v")) << before;
        store.reset();
        store = disk.OpenStore();
        for (int i = 0; i < before; ++i) EXPECT_TRUE(Has(*store, std::to_string(i)));
        EXPECT_FALSE(Has(*store, "lost"));
        EXPECT_TRUE(Has(*store, "after"));
      });
    }
  }
  for (std::thread& thread : threads) thread.join();
}

// To recover, RocksDB exchanges the log and the memtable. A write that waited for that found an
// empty memtable, and if it failed, too, the next write ended the process.
TEST(WriteFaultTest, AWriteWhileRocksDbRecoversFailsAtOnce) {
  FailingDisk disk(".log");
  auto store = disk.OpenStore();
  ASSERT_TRUE(Put(*store, "before", "v"));
  std::promise<void> began;
  std::promise<void> answered;
  bool is_first = true;
  disk.files->before_file = [&] {
    if (!std::exchange(is_first, false)) return;
    began.set_value();
    EXPECT_EQ(answered.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
  };
  disk.files->on_append = Fault::kNoSpace;
  EXPECT_FALSE(Put(*store, "lost", "v"));
  began.get_future().wait();
  const Status status = Put(*store, "lost", "v");
  answered.set_value();
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message(), HasSubstr("full"));
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(Put(*store, "lost", "v"));
  disk.files->on_append = Fault::kNone;
  EXPECT_TRUE(PutsWithinSeconds(*store, "after", "v"));
  EXPECT_FALSE(Has(*store, "lost"));
  EXPECT_EQ(Count(*store), 2);
}

// A file system of eight megabytes, where the system lets us mount one.
class SmallDisk {
 public:
  SmallDisk() : mounted_(mount("none", path().c_str(), "tmpfs", 0, "size=8m") == 0) {}
  ~SmallDisk() {
    if (mounted_) umount(path().c_str());
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool mounted() const { return mounted_; }
  const std::string& path() const { return folder_.path(); }

 private:
  const TemporaryFolder folder_;
  const bool mounted_;
};

TEST(WriteFaultTest, FullDiskForReal) {
  const SmallDisk folder;
  if (!folder.mounted()) {
    GTEST_SKIP() << "cannot mount a small file system here: " << std::strerror(errno);
  }
  const std::string path = folder.path() + "/data";
  const std::string ballast = folder.path() + "/ballast";
  RocksDbOptions options;
  options.write_buffer_bytes = size_t{1} << 20;
  auto store = Open(path, options);
  int written = 0;
  for (int round = 0; round < 2; ++round) {
    std::ofstream(ballast) << std::string(size_t{4} << 20, 'b');
    // Values that do not compress.
    std::string value(20000, '\0');
    uint32_t random = static_cast<uint32_t>(round + 1);
    for (char& c : value) c = static_cast<char>((random = random * 1664525 + 1013904223) >> 24);
    while (Put(*store, "k" + std::to_string(written), value)) ASSERT_LT(++written, 10000);
    EXPECT_EQ(Count(*store), written);
    EXPECT_FALSE(Has(*store, "k" + std::to_string(written)));
    std::filesystem::remove(ballast);
    EXPECT_TRUE(PutsWithinSeconds(*store, "k" + std::to_string(written), "v"));
    EXPECT_EQ(Count(*store), ++written);
    store.reset();
    store = Open(path, options);
    ASSERT_NE(store, nullptr);
    EXPECT_EQ(Count(*store), written);
    for (int i = 0; i < written; ++i) EXPECT_TRUE(Has(*store, "k" + std::to_string(i))) << i;
    ASSERT_TRUE(UpdateAndWait(*store, {}, [](Values, const Commit&, Batch* batch) {
      batch->DeleteRange({"k", "l"});
      batch->DeleteRange({LogKey("k"), LogKey("l")});
      batch->Delete("count");
    }));
    written = 0;
  }
}

TEST(WriteFaultTest, SequencesSurviveFailedGroups) {
  FailingDisk disk(".log");
  uint64_t last = 0;
  auto count = [&](Store& store) {
    uint64_t sequence = 0;
    const Status status = UpdateAndWait(store, {}, [&](Values, const Commit& commit, Batch* batch) {
      sequence = commit.sequence;
      batch->Increment("count", 1);
    });
    if (!status) return false;
    EXPECT_GT(sequence, last);
    last = sequence;
    return true;
  };
  for (int restart = 0; restart < 2; ++restart) {
    auto store = disk.OpenStore();
    EXPECT_TRUE(count(*store));
    disk.files->on_append = Fault::kNoSpace;
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(count(*store));
    disk.files->on_append = Fault::kNone;
    while (!count(*store)) std::this_thread::yield();
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(count(*store));
    EXPECT_EQ(Count(*store), 12 * (restart + 1));
  }
}

}  // namespace

}  // namespace monotable::storage

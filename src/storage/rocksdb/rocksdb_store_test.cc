#include "storage/rocksdb/rocksdb_store.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/counter.h"
#include "storage/rocksdb/database.h"
#include "storage/rocksdb/failing_file_system.h"
#include "storage/rocksdb/options.h"
#include "storage/temporary_folder.h"

namespace monotable::storage {

namespace {

using testing::HasSubstr;
using Fault = FailingFileSystem::Fault;
using Values = std::span<const std::optional<std::string_view>>;

std::string LogKey(const std::string& key) {
  return kLogPrefix + key;
}

Status Put(Store& store, const std::string& key, const std::string& value) {
  return UpdateAndWait(store, {key}, [&](Values, const Commit&, Batch* batch) {
    batch->Put(key, value);
    batch->Put(LogKey(key), value);
    batch->Increment("count", 1);
  });
}

// RocksDB looks for room every five seconds.
bool PutsWithinSeconds(Store& store, const std::string& key, const std::string& value) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < deadline) {
    if (Put(store, key, value)) return true;
    std::this_thread::yield();
  }
  return false;
}

bool Has(Store& store, const std::string& key) {
  std::string value;
  const Result<bool> found = store.Latest().Get(key, &value);
  EXPECT_TRUE(found);
  const Result<bool> logged = store.Latest().Get(LogKey(key), &value);
  EXPECT_TRUE(logged);
  EXPECT_EQ(*found, *logged) << key;
  return found && *found;
}

int64_t Count(Store& store) {
  std::string value;
  const Result<bool> found = store.Latest().Get("count", &value);
  return found && *found ? DecodeCounter(value) : 0;
}

std::unique_ptr<Store> Open(const std::string& path, const RocksDbOptions& options = {}) {
  auto store = OpenRocksDbStore(path, options);
  EXPECT_TRUE(store) << (store ? "" : store.error().message());
  return store ? *std::move(store) : nullptr;
}

std::string OpenMessage(const std::string& path) {
  auto store = OpenRocksDbStore(path);
  if (store) return "opened";
  EXPECT_THAT(store.error().message(), HasSubstr("The data folder " + path));
  EXPECT_THAT(store.error().message(), testing::Not(HasSubstr("\n")));
  return store.error().message();
}

class LogFaultTest : public testing::TestWithParam<std::tuple<Durability, bool, bool>> {
 protected:
  Durability durability() const { return std::get<0>(GetParam()); }
  bool fail_sync() const { return std::get<1>(GetParam()); }
  // Whether anything was written before the fault.
  bool written_before() const { return std::get<2>(GetParam()); }

  void SetUp() override {
    if (fail_sync() && durability() == Durability::kRelaxed) GTEST_SKIP() << "does not sync";
    options_.durability = durability();
    options_.env = env_.get();
  }
  void SetFault(Fault fault) { (fail_sync() ? files_->on_sync : files_->on_append) = fault; }

  const TemporaryFolder folder_;
  const std::shared_ptr<FailingFileSystem> files_ = std::make_shared<FailingFileSystem>(".log");
  const std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(files_);
  RocksDbOptions options_;
};

TEST_P(LogFaultTest, FullDiskFailsWritesUntilThereIsRoom) {
  auto store = Open(folder_.path(), options_);
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
  store = Open(folder_.path(), options_);
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
    auto store = Open(folder_.path(), options_);
    if (written_before()) {
      ASSERT_TRUE(Put(*store, "before", "v"));
    }
    SetFault(fault);
    EXPECT_FALSE(Put(*store, "lost", std::string(100000, 'x')));
    EXPECT_FALSE(Put(*store, "lost too", "v"));
    EXPECT_EQ(Has(*store, "before"), written_before());
    store.reset();
    SetFault(Fault::kNone);
    store = Open(folder_.path(), options_);
    EXPECT_EQ(Has(*store, "before"), written_before());
    EXPECT_FALSE(Has(*store, "lost"));
    EXPECT_FALSE(Has(*store, "lost too"));
    EXPECT_TRUE(Put(*store, "after", "v"));
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, LogFaultTest,
                         testing::Combine(testing::Values(Durability::kSync, Durability::kRelaxed),
                                          testing::Bool(), testing::Bool()));

TEST(RocksDbStoreTest, FullDiskWhileFlushing) {
  const TemporaryFolder folder;
  const auto files = std::make_shared<FailingFileSystem>(".sst");
  const auto env = rocksdb::NewCompositeEnv(files);
  RocksDbOptions options;
  options.env = env.get();
  options.write_buffer_bytes = size_t{256} << 10;
  auto store = Open(folder.path(), options);
  files->on_append = Fault::kNoSpace;
  int written = 0;
  while (Put(*store, "k" + std::to_string(written), std::string(10000, 'x'))) {
    ASSERT_LT(++written, 10000);
  }
  EXPECT_EQ(Count(*store), written);
  files->on_append = Fault::kNone;
  EXPECT_TRUE(PutsWithinSeconds(*store, "after", "v"));
  store.reset();
  store = Open(folder.path(), options);
  EXPECT_EQ(Count(*store), written + 1);
  for (int i = 0; i < written; ++i) EXPECT_TRUE(Has(*store, "k" + std::to_string(i)));
}

// The write that finds a memtable full gets empty ones, and RocksDB cannot recover with those (see
// Writer::SeedMemtable). Which write that is depends on RocksDB, so each one is tried.
TEST(RocksDbStoreTest, FullDiskWhenAMemtableIsExchanged) {
  constexpr int kPutsPerMemtable = 20;
  std::vector<std::thread> threads;
  for (const bool log_is_full : {false, true}) {
    for (int before = kPutsPerMemtable / 2; before <= kPutsPerMemtable + 2; ++before) {
      threads.emplace_back([=] {
        const TemporaryFolder folder;
        const auto files = std::make_shared<FailingFileSystem>(".log");
        const auto env = rocksdb::NewCompositeEnv(files);
        RocksDbOptions options;
        options.env = env.get();
        options.write_buffer_bytes = size_t{256} << 10;
        auto store = Open(folder.path(), options);
        const std::string value(options.write_buffer_bytes / kPutsPerMemtable, 'x');
        auto put = [&](const std::string& key) {
          return UpdateAndWait(*store, {key}, [&](Values, const Commit&, Batch* batch) {
            batch->Put(key, log_is_full ? "" : value);
            batch->Put(LogKey(key), log_is_full ? value : "");
          });
        };
        for (int i = 0; i < before; ++i) EXPECT_TRUE(put(std::to_string(i)));
        files->on_append = Fault::kNoSpace;
        EXPECT_FALSE(put("lost"));
        files->on_append = Fault::kNone;
        EXPECT_TRUE(PutsWithinSeconds(*store, "after", "v")) << before;
        store.reset();
        store = Open(folder.path(), options);
        for (int i = 0; i < before; ++i) EXPECT_TRUE(Has(*store, std::to_string(i)));
        EXPECT_FALSE(Has(*store, "lost"));
        EXPECT_TRUE(Has(*store, "after"));
      });
    }
  }
  for (std::thread& thread : threads) thread.join();
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

TEST(RocksDbStoreTest, FullDiskForReal) {
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

// Databases were once made without a family for the log.
TEST(RocksDbStoreTest, MovesTheLogOfAnOlderDatabase) {
  const TemporaryFolder folder;
  constexpr int kKeys = 3000;
  {
    rocksdb::Options options;
    options.create_if_missing = true;
    rocksdb::DB* db = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open(options, folder.path(), &db).ok());
    const std::unique_ptr<rocksdb::DB> owner(db);
    for (int i = 0; i < kKeys; ++i) {
      const std::string key = "k" + std::to_string(i);
      ASSERT_TRUE(db->Put({}, key, "v").ok());
      ASSERT_TRUE(db->Put({}, LogKey(key), std::string(1000, 'x')).ok());
    }
  }
  for (int opened = 0; opened < 2; ++opened) {
    auto store = Open(folder.path());
    for (int i = 0; i < kKeys; ++i) EXPECT_TRUE(Has(*store, "k" + std::to_string(i)));
  }
  std::unique_ptr<Database> database;
  ASSERT_TRUE(Database::Open(MakeRocksDbOptions({}), folder.path(), &database).ok());
  const std::unique_ptr<rocksdb::Iterator> first(database->db().NewIterator({}));
  first->SeekToFirst();
  ASSERT_TRUE(first->Valid());
  EXPECT_EQ(first->key().ToString(), "k0");
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

TEST(RocksDbStoreTest, ToleratesATornLastRecord) {
  const TemporaryFolder folder;
  {
    auto store = Open(folder.path());
    EXPECT_TRUE(Put(*store, "first", "v"));
    EXPECT_TRUE(Put(*store, "last", std::string(1000, 'x')));
  }
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    if (file.path().extension() == ".log") {
      std::filesystem::resize_file(file.path(), std::filesystem::file_size(file.path()) - 10);
    }
  }
  auto store = Open(folder.path());
  EXPECT_TRUE(Has(*store, "first"));
  EXPECT_FALSE(Has(*store, "last"));
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

TEST(RocksDbStoreTest, SequencesSurviveFailedGroups) {
  const TemporaryFolder folder;
  const auto files = std::make_shared<FailingFileSystem>(".log");
  const auto env = rocksdb::NewCompositeEnv(files);
  RocksDbOptions options;
  options.env = env.get();
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
    auto store = Open(folder.path(), options);
    EXPECT_TRUE(count(*store));
    files->on_append = Fault::kNoSpace;
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(count(*store));
    files->on_append = Fault::kNone;
    while (!count(*store)) std::this_thread::yield();
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(count(*store));
    EXPECT_EQ(Count(*store), 12 * (restart + 1));
  }
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

#include "storage/rocksdb/log_check.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/rocksdb/log_records.h"
#include "storage/rocksdb/rocksdb_store_for_tests.h"
#include "storage/temporary_folder_for_tests.h"

// What a start says to write-ahead logs that were cut, changed or removed, and to those that an
// interrupted write left.
namespace monotable::storage {

namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

std::string Content(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void SetContent(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

// A copy of the folder of a running store, as the end of the process would leave it.
class StoppedFolder {
 public:
  // Writes keys "0" to "n-1", each with a value of this size.
  explicit StoppedFolder(int keys, size_t value_bytes = 1000, RocksDbOptions options = {})
      : options_(std::move(options)) {
    const auto store = Open(folder_.path() + "/running", options_);
    for (int i = 0; i < keys; ++i) EXPECT_TRUE(Put(*store, std::to_string(i), Value(value_bytes)));
    fs::copy(folder_.path() + "/running", path(), fs::copy_options::recursive);
  }

  std::string path() const { return folder_.path() + "/stopped"; }

  std::vector<fs::path> Logs() const {
    std::vector<fs::path> logs;
    for (const auto& file : fs::directory_iterator(path())) {
      if (file.path().extension() == ".log" && file.file_size() > 0) logs.push_back(file.path());
    }
    std::sort(logs.begin(), logs.end());
    return logs;
  }

  std::string OpenMessage() const {
    const auto store = OpenRocksDbStore(path(), options_);
    return store ? "opened" : store.error().message();
  }

  // How many of the keys are there after a start; -1 if it is refused.
  int KeysAfterStart() const {
    const auto store = OpenRocksDbStore(path(), options_);
    if (!store) return -1;
    int keys = 0;
    while (Has(**store, std::to_string(keys))) ++keys;
    EXPECT_EQ(Count(**store), keys);
    return keys;
  }

 private:
  // Does not compress, and has no zeros in it.
  static std::string Value(size_t bytes) {
    std::minstd_rand random(static_cast<uint32_t>(bytes));
    std::string value(bytes, '\0');
    for (char& c : value) c = static_cast<char>(1 + random() % 255);
    return value;
  }

  const TemporaryFolder folder_;
  const RocksDbOptions options_;
};

constexpr int kKeyCount = 40;

TEST(LogCheckTest, ChecksumIsThatOfRocksDb) {
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aaU);
}

TEST(LogCheckTest, GoodFoldersOpen) {
  EXPECT_EQ(StoppedFolder(kKeyCount).KeysAfterStart(), kKeyCount);
  // Records of several blocks.
  EXPECT_EQ(StoppedFolder(5, 100'000).KeysAfterStart(), 5);
  EXPECT_EQ(StoppedFolder(0).KeysAfterStart(), 0);
}

// A start used to go on without the second half.
TEST(LogCheckTest, RefusesALogThatWasCutAnywhere) {
  const StoppedFolder folder(kKeyCount);
  const fs::path log = folder.Logs().at(0);
  const std::string whole = Content(log);
  LogScan scan;
  std::vector<uint64_t> cuts = {0, 1, whole.size() / 2, whole.size() - 1};
  // Between two records, too, where nothing is torn.
  SetContent(log, whole.substr(0, whole.size() / 2));
  ASSERT_TRUE(ScanLog(*rocksdb::FileSystem::Default(), log, 0, 0, &scan).ok());
  EXPECT_GT(scan.good_size, 0u);
  cuts.push_back(scan.good_size);
  for (const uint64_t cut : cuts) {
    SetContent(log, whole.substr(0, cut));
    EXPECT_THAT(folder.OpenMessage(),
                AllOf(HasSubstr("is damaged"), HasSubstr(log.string()), HasSubstr("position "),
                      HasSubstr("monotable repair " + folder.path())))
        << cut;
    EXPECT_EQ(fs::file_size(log), cut) << "nothing must be changed";
  }
  SetContent(log, whole);
  EXPECT_EQ(folder.KeysAfterStart(), kKeyCount);
}

// Holds up new table files, so that the logs of what should be in them stay.
class HeldTableFiles : public rocksdb::FileSystemWrapper {
 public:
  HeldTableFiles() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "HeldTableFiles"; }
  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    if (name.ends_with(".sst")) held_.wait(true);
    return target()->NewWritableFile(name, options, file, debug);
  }
  void Release() {
    held_ = false;
    held_.notify_all();
  }

 private:
  std::atomic<bool> held_ = true;
};

// A start used to go on with a hole.
TEST(LogCheckTest, RefusesAnOlderLogThatWasCutOrIsGone) {
  const TemporaryFolder folder;
  const auto files = std::make_shared<HeldTableFiles>();
  const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(files);
  RocksDbOptions options;
  options.env = env.get();
  options.write_buffer_bytes = size_t{256} << 10;
  const std::string running = folder.path() + "/running";
  const std::string stopped = folder.path() + "/stopped";
  {
    const auto store = Open(running, options);
    const auto log_count = [&] {
      return std::count_if(fs::directory_iterator(running), fs::directory_iterator(),
                           [](const auto& file) {
                             return file.path().extension() == ".log" && file.file_size() > 0;
                           });
    };
    for (int i = 0; i < 1000 && log_count() < 2; ++i) {
      ASSERT_TRUE(Put(*store, std::to_string(i), std::string(2000, 'x')));
    }
    ASSERT_EQ(log_count(), 2);
    fs::copy(running, stopped, fs::copy_options::recursive);
    files->Release();
  }
  std::vector<fs::path> logs;
  for (const auto& file : fs::directory_iterator(stopped)) {
    if (file.path().extension() == ".log") logs.push_back(file.path());
  }
  const fs::path older = *std::min_element(logs.begin(), logs.end());
  const std::string whole = Content(older);
  LogScan scan;
  SetContent(older, whole.substr(0, whole.size() / 2));
  ASSERT_TRUE(ScanLog(*rocksdb::FileSystem::Default(), older, 0, 0, &scan).ok());
  fs::resize_file(older, scan.good_size);  // between two records
  auto store = OpenRocksDbStore(stopped);
  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().message(),
              AllOf(HasSubstr(older.string()),
                    HasSubstr("ends at position " + std::to_string(scan.good_size))));
  fs::remove(older);
  store = OpenRocksDbStore(stopped);
  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().message(), HasSubstr(older.string() + " is missing"));
  SetContent(older, whole);
  EXPECT_TRUE(OpenRocksDbStore(stopped));
}

// A start used to go on with an empty store.
TEST(LogCheckTest, RefusesAFolderWhoseLogIsGone) {
  const StoppedFolder folder(kKeyCount);
  const fs::path log = folder.Logs().at(0);
  fs::remove(log);
  EXPECT_THAT(folder.OpenMessage(),
              AllOf(HasSubstr(log.string() + " is missing"), HasSubstr("monotable repair")));
}

TEST(LogCheckTest, RefusesALogThatWasChangedAnywhere) {
  const StoppedFolder folder(kKeyCount);
  const fs::path log = folder.Logs().at(0);
  const std::string whole = Content(log);
  for (const size_t place :
       {size_t{0}, size_t{5}, size_t{100}, whole.size() / 2, whole.size() - 1}) {
    std::string changed = whole;
    changed[place] = static_cast<char>(changed[place] ^ 1);
    SetContent(log, changed);
    EXPECT_THAT(folder.OpenMessage(), AllOf(HasSubstr(log.string()), HasSubstr("from position ")))
        << place;
  }
  // Zeros in the middle, which RocksDB skips without a word.
  std::string changed = whole;
  changed.replace(8192, 4096, std::string(4096, '\0'));
  SetContent(log, changed);
  EXPECT_THAT(folder.OpenMessage(), HasSubstr("is damaged"));
}

TEST(LogCheckTest, NamesThePositionOfTheFirstBadRecord) {
  const StoppedFolder folder(kKeyCount);
  const fs::path log = folder.Logs().at(0);
  std::string content = Content(log);
  LogScan scan;
  SetContent(log, content.substr(0, 20'000));
  ASSERT_TRUE(ScanLog(*rocksdb::FileSystem::Default(), log, 0, 0, &scan).ok());
  content[20'000] = static_cast<char>(content[20'000] ^ 1);
  SetContent(log, content);
  EXPECT_THAT(folder.OpenMessage(),
              HasSubstr("from position " + std::to_string(scan.good_size) + " on"));
}

TEST(LogCheckTest, RefusesTheRightRecordsOfAnotherTime) {
  const StoppedFolder folder(kKeyCount);
  const StoppedFolder other(kKeyCount, 1001);
  const std::string content = Content(other.Logs().at(0));
  SetContent(folder.Logs().at(0), content + content);
  EXPECT_THAT(folder.OpenMessage(), HasSubstr("is damaged"));
}

std::vector<std::string> TornEnds() {
  std::minstd_rand random(7);
  std::string garbage(5000, '\0');
  for (char& c : garbage) c = static_cast<char>(random());
  return {"x",
          std::string(6, '\0'),
          std::string(4096, '\0'),
          std::string(200'000, '\0'),
          garbage,
          garbage + std::string(100'000, '\0')};
}

// A start used to refuse zeros and garbage and to ask for a backup.
TEST(LogCheckTest, CutsOffWhatAnInterruptedWriteLeft) {
  for (const std::string& end : TornEnds()) {
    const StoppedFolder folder(kKeyCount);
    const fs::path log = folder.Logs().at(0);
    SetContent(log, Content(log) + end);
    testing::internal::CaptureStderr();
    EXPECT_EQ(folder.KeysAfterStart(), kKeyCount);
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                AllOf(HasSubstr(log.string()),
                      HasSubstr("cut off " + std::to_string(end.size()) + " bytes")));
  }
}

TEST(LogCheckTest, CutsOffAPartOfARecordOfSeveralBlocks) {
  // What the next write would have left.
  const std::string all = Content(StoppedFolder(6, 100'000).Logs().at(0));
  for (const size_t torn : {size_t{3}, size_t{7}, size_t{50'000}, size_t{90'000}}) {
    const StoppedFolder folder(5, 100'000);
    const fs::path log = folder.Logs().at(0);
    const std::string whole = Content(log);
    ASSERT_EQ(all.substr(0, whole.size()), whole);
    SetContent(log, all.substr(0, whole.size() + torn));
    EXPECT_EQ(folder.KeysAfterStart(), 5) << torn;
  }
}

// The disk may have written the end of an interrupted write, but not its beginning.
TEST(LogCheckTest, CutsOffAnInterruptedWriteWhoseBeginningIsMissing) {
  const StoppedFolder longer(6, 100'000);
  const StoppedFolder folder(5, 100'000);
  const fs::path log = folder.Logs().at(0);
  std::string all = Content(longer.Logs().at(0));
  const size_t whole = fs::file_size(log);
  all.replace(whole, 40'000, std::string(40'000, '\0'));
  SetContent(log, all);
  EXPECT_EQ(folder.KeysAfterStart(), 5);
}

// A write that was complete but not acknowledged yet may stay.
TEST(LogCheckTest, KeepsWholeRecordsAfterTheMark) {
  const StoppedFolder longer(kKeyCount + 1);
  const StoppedFolder folder(kKeyCount);
  const fs::path log = folder.Logs().at(0);
  SetContent(log, Content(longer.Logs().at(0)));
  EXPECT_EQ(folder.KeysAfterStart(), kKeyCount + 1);
}

// After a power cut the marks may be older than the log.
TEST(LogCheckTest, RefusesDamageAfterTheMarkIfAWholeRecordFollows) {
  const StoppedFolder longer(kKeyCount + 3);
  const StoppedFolder folder(kKeyCount);
  const fs::path log = folder.Logs().at(0);
  const std::string all = Content(longer.Logs().at(0));
  const size_t marked = fs::file_size(log);
  for (const size_t place : {size_t{1}, size_t{4}, size_t{6}, size_t{500}}) {
    std::string changed = all;
    changed[marked + place] = static_cast<char>(changed[marked + place] ^ 0x55);
    SetContent(log, changed);
    EXPECT_THAT(folder.OpenMessage(), HasSubstr("is damaged")) << place;
  }
}

// Backups, checkpoints and folders of earlier versions.
TEST(LogCheckTest, ChecksFoldersWithoutMarksAsFarAsItCan) {
  for (const std::string& end : TornEnds()) {
    const StoppedFolder folder(kKeyCount);
    fs::remove(folder.path() + "/MARKS");
    const fs::path log = folder.Logs().at(0);
    SetContent(log, Content(log) + end);
    EXPECT_EQ(folder.KeysAfterStart(), kKeyCount);
  }
  const StoppedFolder folder(kKeyCount);
  fs::remove(folder.path() + "/MARKS");
  const fs::path log = folder.Logs().at(0);
  std::string content = Content(log);
  content[content.size() / 2] = static_cast<char>(content[content.size() / 2] ^ 1);
  SetContent(log, content);
  EXPECT_THAT(folder.OpenMessage(), HasSubstr("is damaged"));
}

TEST(LogCheckTest, OpensWithADamagedMarkFile) {
  for (const std::string& content :
       {std::string(), std::string(8192, '\0'), std::string(100, 'x')}) {
    const StoppedFolder folder(kKeyCount);
    SetContent(folder.path() + "/MARKS", content);
    EXPECT_EQ(folder.KeysAfterStart(), kKeyCount);
    // The marks are right again.
    EXPECT_EQ(folder.KeysAfterStart(), kKeyCount);
  }
}

// One of the two places of the file may be half written after a power cut.
TEST(LogCheckTest, ATornMarkLeavesTheOneBefore) {
  const StoppedFolder folder(kKeyCount);
  const fs::path log = folder.Logs().at(0);
  const std::string marks = Content(folder.path() + "/MARKS");
  for (const size_t place : {size_t{0}, size_t{4096}}) {
    std::string torn = marks;
    torn.replace(place + 20, 100, std::string(100, 'x'));
    SetContent(folder.path() + "/MARKS", torn);
    const auto check =
        InspectLogs(*rocksdb::FileSystem::Default(), folder.path(), Durability::kSync);
    ASSERT_TRUE(check);
    EXPECT_EQ(check->logs.back().state, LogState::kGood);
    ASSERT_FALSE(check->marks.logs.empty());
    EXPECT_GT(check->marks.logs.back().size, fs::file_size(log) * 9 / 10);
  }
}

// A program that writes no marks, such as an earlier version, replaces the logs.
TEST(LogCheckTest, MarksFromBeforeAnotherProgramSayNothing) {
  const StoppedFolder folder(kKeyCount);
  const std::string marks = Content(folder.path() + "/MARKS");
  EXPECT_EQ(folder.KeysAfterStart(), kKeyCount);
  SetContent(folder.path() + "/MARKS", marks);
  EXPECT_EQ(folder.KeysAfterStart(), kKeyCount);
}

TEST(LogCheckTest, MarksFollowTheLogsThroughFlushes) {
  const TemporaryFolder folder;
  RocksDbOptions options;
  options.write_buffer_bytes = size_t{64} << 10;
  for (int round = 0; round < 3; ++round) {
    const auto store = Open(folder.path(), options);
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(Put(*store, std::to_string(i), std::string(2000, 'x')));
    }
  }
  const auto check = InspectLogs(*rocksdb::FileSystem::Default(), folder.path(), Durability::kSync);
  ASSERT_TRUE(check);
  for (const CheckedLog& log : check->logs) EXPECT_EQ(log.state, LogState::kGood);
  ASSERT_EQ(check->marks.logs.size(), check->logs.size());
  for (size_t i = 0; i < check->logs.size(); ++i) {
    EXPECT_EQ(check->marks.logs[i].number, check->logs[i].number);
    EXPECT_EQ(check->marks.logs[i].size, check->logs[i].size);
  }
}

// With relaxed durability a power cut may leave the end of the last log in any state.
TEST(LogCheckTest, RelaxedStoresKeepAConsistentPrefix) {
  RocksDbOptions options;
  options.durability = Durability::kRelaxed;
  const StoppedFolder folder(kKeyCount, 1000, options);
  const fs::path log = folder.Logs().at(0);
  std::string content = Content(log);
  content.replace(content.size() / 2, 5000, std::string(5000, '\0'));
  SetContent(log, content);
  const int keys = folder.KeysAfterStart();
  EXPECT_GT(keys, kKeyCount / 3);
  EXPECT_LT(keys, kKeyCount / 2 + 1);
}

TEST(LogCheckTest, RelaxedStoresThatWereClosedAreCheckedToTheEnd) {
  const TemporaryFolder folder;
  RocksDbOptions options;
  options.durability = Durability::kRelaxed;
  {
    const auto store = Open(folder.path(), options);
    for (int i = 0; i < kKeyCount; ++i) ASSERT_TRUE(Put(*store, std::to_string(i), "v"));
  }
  for (const auto& file : fs::directory_iterator(folder.path())) {
    if (file.path().extension() != ".log" || file.file_size() == 0) continue;
    fs::resize_file(file.path(), file.file_size() / 2);
  }
  const auto store = OpenRocksDbStore(folder.path(), options);
  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().message(), HasSubstr("is damaged"));
}

// A second process must not touch the logs of the first.
TEST(LogCheckTest, LeavesTheLogsOfARunningStoreAlone) {
  const TemporaryFolder folder;
  const auto store = Open(folder.path());
  ASSERT_TRUE(Put(*store, "a", "v"));
  const std::string marks = Content(folder.path() + "/MARKS");
  const auto second = OpenRocksDbStore(folder.path());
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message(), HasSubstr("in use"));
  EXPECT_EQ(Content(folder.path() + "/MARKS"), marks);
}

}  // namespace

}  // namespace monotable::storage

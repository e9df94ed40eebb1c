#include "storage/rocksdb/store_backups.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include "storage/rocksdb/rocksdb_store_for_tests.h"
#include "storage/temporary_folder_for_tests.h"

namespace monotable::storage {

namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

uint64_t BytesIn(const std::string& folder) {
  uint64_t bytes = 0;
  for (const auto& file : fs::recursive_directory_iterator(folder)) {
    if (file.is_regular_file()) bytes += file.file_size();
  }
  return bytes;
}

void FlipAByte(const fs::path& file) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(fs::file_size(file) / 2));
  const auto byte = static_cast<char>(stream.peek() ^ 1);
  stream.seekp(stream.tellg());
  stream.put(byte);
}

std::string Message(const Status& status) {
  return status ? "fine" : status.error().message();
}

class BackupTest : public testing::Test {
 protected:
  BackupTest() : store_(Open(folder_.path() + "/data")) {}

  // Writes about a megabyte that does not compress.
  void PutMany(const std::string& prefix) {
    ASSERT_TRUE(UpdateAndWait(*store_, {}, [&](Values, const Commit&, Batch* batch) {
      for (int i = 0; i < 1000; ++i) batch->Put(prefix + std::to_string(1000 + i), Noise(1000));
    }));
  }
  void PutOne(const std::string& key, const std::string& value) {
    ASSERT_TRUE(UpdateAndWait(
        *store_, {key}, [&](Values, const Commit&, Batch* batch) { batch->Put(key, value); }));
  }
  void BulkWriteMany(const std::string& prefix) {
    auto bulk_write = store_->StartBulkWrite();
    ASSERT_TRUE(bulk_write);
    for (int i = 0; i < 1000; ++i) {
      ASSERT_TRUE((*bulk_write)->Put(prefix + std::to_string(1000 + i), Noise(1000)));
    }
    ASSERT_TRUE((*bulk_write)->Finish());
  }

  BackupInfo Add(const std::string& note = "") {
    const std::string checkpoint = folder_.path() + "/checkpoint";
    EXPECT_TRUE(store_->Checkpoint(checkpoint));
    const auto info = AddBackup(checkpoint, backups_, note);
    EXPECT_TRUE(info) << (info ? "" : info.error().message());
    fs::remove_all(checkpoint);
    return info ? *info : BackupInfo();
  }

  Entries Restored(uint32_t id) {
    const std::string data = folder_.path() + "/restored" + std::to_string(++restored_);
    EXPECT_EQ(Message(RestoreBackup(backups_, id, data)), "fine");
    return Everything(Open(data)->Latest());
  }

  std::vector<fs::path> FilesOf(const std::string& part) {
    std::vector<fs::path> files;
    for (const auto& file : fs::directory_iterator(backups_ + "/" + part)) {
      files.push_back(file.path());
    }
    return files;
  }

  std::string Noise(size_t size) {
    std::string noise(size, '\0');
    for (char& c : noise) c = static_cast<char>(random_() >> 16);
    return noise;
  }

  const TemporaryFolder folder_;
  const std::string backups_ = folder_.path() + "/backups";
  std::unique_ptr<Store> store_;
  std::minstd_rand random_{1};
  int restored_ = 0;
};

TEST_F(BackupTest, RestoresEachMoment) {
  std::vector<Entries> moments;
  for (uint32_t i = 1; i <= 3; ++i) {
    PutMany("a" + std::to_string(i % 2));
    PutMany(kLogPrefix + std::to_string(i));
    BulkWriteMany("b" + std::to_string(i));
    PutOne("round", std::to_string(i));
    const auto before = std::time(nullptr);
    const BackupInfo info = Add("round " + std::to_string(i));
    moments.push_back(Everything(store_->Latest()));
    EXPECT_EQ(info.id, i);
    EXPECT_GE(info.time, before);
    EXPECT_LE(info.time, std::time(nullptr));
    EXPECT_GT(info.bytes, 2000000u);
    EXPECT_GT(info.files, 2u);
  }
  const auto backups = ListBackups(backups_);
  ASSERT_TRUE(backups);
  ASSERT_EQ(backups->size(), 3u);
  for (uint32_t i = 1; i <= 3; ++i) {
    EXPECT_EQ((*backups)[i - 1].id, i);
    EXPECT_EQ((*backups)[i - 1].note, "round " + std::to_string(i));
    EXPECT_FALSE((*backups)[i - 1].damaged);
    EXPECT_EQ(Message(VerifyBackup(backups_, i)), "fine");
    EXPECT_TRUE(Restored(i) == moments[i - 1]) << i;
  }
}

TEST_F(BackupTest, StopsWhenAsked) {
  PutMany("a");
  Add();
  PutMany("b");
  const std::string checkpoint = folder_.path() + "/checkpoint";
  ASSERT_TRUE(store_->Checkpoint(checkpoint));
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = AddBackup(checkpoint, backups_, "", stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code(), ErrorCode::kUnavailable);
  EXPECT_THAT(stopped.error().message(), HasSubstr("was given up"));
  fs::remove_all(checkpoint);

  const auto backups = ListBackups(backups_);
  ASSERT_TRUE(backups);
  ASSERT_EQ(backups->size(), 1u);
  EXPECT_EQ(Message(VerifyBackup(backups_, 1)), "fine");
  EXPECT_TRUE(Restored(Add().id) == Everything(store_->Latest()));
}

TEST_F(BackupTest, AddsOnlyWhatIsNew) {
  PutMany("a");
  BulkWriteMany("b");
  Add();
  const uint64_t first = BytesIn(backups_);
  EXPECT_GT(first, 2000000u);
  const BackupInfo unchanged = Add();
  EXPECT_GT(unchanged.bytes, 2000000u);
  const uint64_t second = BytesIn(backups_);
  EXPECT_LT(second - first, 20000u);

  PutOne("c", "new");
  Add();
  EXPECT_LT(BytesIn(backups_) - second, 20000u);
  // Restarts of the server change nothing about that.
  store_.reset();
  store_ = Open(folder_.path() + "/data");
  Add();
  EXPECT_LT(BytesIn(backups_) - second, 50000u);
  EXPECT_TRUE(Restored(4) == Everything(store_->Latest()));
}

TEST_F(BackupTest, NamesAFileWithWrongBytes) {
  PutMany("a");
  Add();
  const fs::path file = FilesOf("shared_checksum").front();
  FlipAByte(file);
  const auto damaged = AllOf(HasSubstr("Backup 1 in the folder " + backups_ + " is damaged"),
                             HasSubstr("shared_checksum/" + file.filename().string() + " "),
                             HasSubstr("Use another backup"), Not(HasSubstr("\n")));
  EXPECT_THAT(Message(VerifyBackup(backups_, 1)), damaged);
  const std::string data = folder_.path() + "/restored";
  EXPECT_THAT(Message(RestoreBackup(backups_, 1, data)), damaged);
  EXPECT_TRUE(fs::is_empty(data));
  FlipAByte(file);
  EXPECT_EQ(Message(VerifyBackup(backups_, 1)), "fine");
}

TEST_F(BackupTest, FindsDamageInEveryFile) {
  PutMany("a");
  PutOne("b", "v");
  Add();
  std::vector<fs::path> files = FilesOf("shared_checksum");
  for (const fs::path& file : FilesOf("private/1")) files.push_back(file);
  ASSERT_GE(files.size(), 4u);
  for (const fs::path& file : files) {
    if (fs::file_size(file) == 0) continue;
    FlipAByte(file);
    EXPECT_THAT(Message(VerifyBackup(backups_, 1)), HasSubstr(file.filename().string()));
    FlipAByte(file);
  }
  EXPECT_EQ(Message(VerifyBackup(backups_, 1)), "fine");
}

TEST_F(BackupTest, NamesAFileThatIsMissingOrCutOff) {
  PutMany("a");
  Add();
  const fs::path file = FilesOf("shared_checksum").front();
  PutMany("b");
  Add();
  for (const bool missing : {false, true}) {
    if (missing) {
      fs::remove(file);
    } else {
      fs::resize_file(file, fs::file_size(file) - 1);
    }
    const auto backups = ListBackups(backups_);
    ASSERT_TRUE(backups);
    ASSERT_EQ(backups->size(), 2u);
    EXPECT_EQ((*backups)[0].id, 1u);
    EXPECT_EQ((*backups)[0].damaged, missing);
    EXPECT_THAT(Message(VerifyBackup(backups_, 1)),
                AllOf(HasSubstr("Backup 1 in the folder " + backups_ + " is damaged"),
                      HasSubstr("shared_checksum/" + file.filename().string() + " ")));
  }
  EXPECT_EQ(Message(RemoveBackup(backups_, 1)), "fine");
  EXPECT_EQ(ListBackups(backups_)->size(), 1u);
}

TEST_F(BackupTest, NamesADamagedList) {
  PutMany("a");
  Add();
  Add();
  std::ofstream(backups_ + "/meta/1") << "nothing of use";
  const auto backups = ListBackups(backups_);
  ASSERT_TRUE(backups);
  ASSERT_EQ(backups->size(), 2u);
  EXPECT_TRUE((*backups)[0].damaged);
  EXPECT_FALSE((*backups)[1].damaged);
  EXPECT_THAT(Message(VerifyBackup(backups_, 1)), HasSubstr("meta/1"));
  EXPECT_EQ(Message(VerifyBackup(backups_, 2)), "fine");
}

TEST_F(BackupTest, RemovesBackups) {
  Entries newest;
  for (const char* prefix : {"a", "b", "c", "d"}) {
    PutMany(prefix);
    newest = Everything(store_->Latest());
    Add();
    ASSERT_TRUE(UpdateAndWait(*store_, {}, [&](Values, const Commit&, Batch* batch) {
      batch->DeleteRange({prefix, std::string(prefix) + "z"});
    }));
  }
  const uint64_t all = BytesIn(backups_);
  EXPECT_EQ(Message(RemoveBackup(backups_, 2)), "fine");
  EXPECT_EQ(Message(RemoveOldBackups(backups_, 2)), "fine");
  const auto backups = ListBackups(backups_);
  ASSERT_TRUE(backups);
  ASSERT_EQ(backups->size(), 2u);
  EXPECT_EQ((*backups)[0].id, 3u);
  EXPECT_EQ((*backups)[1].id, 4u);
  EXPECT_LT(BytesIn(backups_), all);
  EXPECT_TRUE(Restored(4) == newest);
  EXPECT_EQ(Message(RemoveOldBackups(backups_, 0)), "fine");
  EXPECT_EQ(ListBackups(backups_)->size(), 0u);
  EXPECT_LT(BytesIn(backups_), 10000u);
}

TEST_F(BackupTest, TellsWhatIsWrongWithAFolder) {
  const std::string none = folder_.path() + "/none";
  for (const Status& status :
       {VerifyBackup(none, 1), RestoreBackup(none, 1, none), RemoveBackup(none, 1)}) {
    EXPECT_THAT(Message(status), HasSubstr("The backup folder " + none + " does not exist"));
  }
  EXPECT_FALSE(fs::exists(none));
  const std::string data = folder_.path() + "/data";
  EXPECT_THAT(Message(VerifyBackup(data, 1)), HasSubstr(data + " has no backups in it"));
  EXPECT_FALSE(ListBackups(data));

  const std::string checkpoint = folder_.path() + "/checkpoint";
  ASSERT_TRUE(store_->Checkpoint(checkpoint));
  auto add_message = [](const std::string& from, const std::string& to) {
    const auto info = AddBackup(from, to, "");
    return info ? "fine" : info.error().message();
  };
  EXPECT_THAT(add_message(checkpoint, data), HasSubstr(data + " has other files in it"));
  EXPECT_THAT(add_message(checkpoint, data + "/CURRENT"), HasSubstr("is a file"));
  EXPECT_THAT(add_message(none, backups_), HasSubstr(none));
  EXPECT_FALSE(fs::exists(backups_));
}

TEST_F(BackupTest, TellsWhichBackupsThereAre) {
  Add();
  Add();
  for (const Status& status : {VerifyBackup(backups_, 7), RemoveBackup(backups_, 7),
                               RestoreBackup(backups_, 7, folder_.path() + "/restored")}) {
    EXPECT_EQ(Message(status), "The backup folder " + backups_ + " has no backup 7. It has: 1, 2.");
  }
  EXPECT_FALSE(fs::exists(folder_.path() + "/restored"));
}

TEST_F(BackupTest, OverwritesNoData) {
  PutOne("a", "v");
  Add();
  const std::string data = folder_.path() + "/data";
  EXPECT_THAT(Message(RestoreBackup(backups_, 1, data)), HasSubstr(data + " is not empty"));
  EXPECT_EQ(Everything(store_->Latest()).size(), 1u);
  // What a restore left that was killed is not data.
  const std::string killed = folder_.path() + "/restored1";
  fs::create_directories(killed + "/monotable-restore");
  std::ofstream(killed + "/monotable-restore/000123.sst") << "half a file";
  EXPECT_EQ(Restored(1), (Entries{{"a", "v"}}));
  EXPECT_FALSE(fs::exists(killed + "/monotable-restore"));
  EXPECT_FALSE(fs::exists(killed + "/000123.sst"));
}

TEST_F(BackupTest, OneWritesAtATime) {
  Add();
  rocksdb::FileLock* lock = nullptr;
  ASSERT_TRUE(rocksdb::Env::Default()->LockFile(backups_ + "/LOCK", &lock).ok());
  const Status removed = RemoveBackup(backups_, 1);
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code(), ErrorCode::kUnavailable);
  EXPECT_THAT(Message(removed), HasSubstr(backups_ + " is being written by somebody else"));
  EXPECT_EQ(Message(VerifyBackup(backups_, 1)), "fine");
  ASSERT_TRUE(rocksdb::Env::Default()->UnlockFile(lock).ok());
  EXPECT_EQ(Message(RemoveBackup(backups_, 1)), "fine");
}

}  // namespace

}  // namespace monotable::storage

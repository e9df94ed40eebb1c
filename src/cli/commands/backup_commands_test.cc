#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backup/server_backups.h"
#include "cli/captured_run_for_tests.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "storage/rocksdb/rocksdb_store.h"
#include "storage/rocksdb/store_backups.h"
#include "storage/temporary_folder_for_tests.h"

namespace monotable::cli {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

// A backup folder with two backups of a small store, as a server makes them.
class BackupCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto store = storage::OpenRocksDbStore(folder_.path() + "/data");
    ASSERT_TRUE(store) << store.error().message();
    for (int i = 1; i <= 2; ++i) {
      ASSERT_TRUE(storage::UpdateAndWait(**store, {}, [&](auto, const auto&, auto* batch) {
        batch->Put("key" + std::to_string(i), "value");
      }));
      const std::string checkpoint = folder_.path() + "/data/checkpoint";
      ASSERT_TRUE((*store)->Checkpoint(checkpoint));
      const auto added = storage::AddBackup(
          checkpoint, backups_, backup::EncodeNote(1'769'783'400'000 * i, {{"notes", 10 * i}}));
      ASSERT_TRUE(added) << added.error().message();
      std::filesystem::remove_all(checkpoint);
    }
  }

  static Outcome Run(const std::vector<std::string_view>& arguments) {
    return CapturedRun(RunBackup, arguments);
  }

  // A table file of the newest backup, which the first one may share.
  std::string SomeFile(const std::string& part) const {
    std::string newest;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(backups_ + part)) {
      if (entry.is_regular_file() && entry.file_size() > 0) {
        newest = std::max(newest, entry.path().string());
      }
    }
    return newest;
  }

  storage::TemporaryFolder folder_;
  const std::string backups_ = folder_.path() + "/data-backups";
};

TEST_F(BackupCommandTest, ListsWithoutAServer) {
  const Outcome outcome = Run({"list", "--backup-folder", backups_});
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, MatchesRegex("BACKUP +TIME +SIZE +TABLES +ITEMS\n"
                                           " +1 +2026-01-30T14:30:00Z +[0-9.]+ [KM]?B +1 +10\n"
                                           " +2 +2082-[^\n]* +1 +20\n"));
  const std::string data = folder_.path() + "/data/";
  EXPECT_EQ(Run({"list", "--data", data}).output, outcome.output) << "the folder beside the data";
  const Outcome none = Run({"list", "--data", folder_.path() + "/other"});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.errors, HasSubstr(folder_.path() + "/other-backups does not exist"));
}

TEST_F(BackupCommandTest, VerifiesAndNamesTheDamagedFile) {
  EXPECT_THAT(Run({"verify", "--backup-folder", backups_}).output,
              MatchesRegex("backup 2 of .*, 20 items in 1 table: good\n"));
  EXPECT_EQ(Run({"verify", "--all", "--backup-folder", backups_}).code, 0);
  const std::string file = SomeFile("/shared_checksum");
  ASSERT_NE(file, "");
  {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(10);
    bytes.put('\x5a');
  }
  const Outcome damaged = Run({"verify", "2", "--backup-folder", backups_});
  EXPECT_EQ(damaged.code, 1);
  EXPECT_THAT(damaged.errors, HasSubstr(std::filesystem::path(file).filename().string()));
  EXPECT_THAT(damaged.errors, HasSubstr("is damaged"));
  EXPECT_EQ(Run({"verify", "--all", "--backup-folder", backups_}).code, 1);
  const std::string to = folder_.path() + "/restored";
  EXPECT_EQ(Run({"restore", "2", "--to", to, "--backup-folder", backups_}).code, 1);
}

TEST_F(BackupCommandTest, MarksBackupsThatLackFiles) {
  const std::string file = SomeFile("/private/2");
  ASSERT_NE(file, "");
  std::filesystem::remove(file);
  const Outcome listed = Run({"list", "--backup-folder", backups_});
  EXPECT_THAT(listed.output, HasSubstr("     2  damaged\n"));
  const std::string to = folder_.path() + "/restored";
  EXPECT_THAT(Run({"restore", "latest", "--to", to, "--backup-folder", backups_}).output,
              HasSubstr("backup 1 of"));
}

TEST_F(BackupCommandTest, RestoresToFoldersWithoutDataOnly) {
  const std::string to = folder_.path() + "/restored";
  const Outcome outcome = Run({"restore", "latest", "--to", to, "--backup-folder", backups_});
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("To serve it: monotable serve --data " + to + "\n"));
  {
    const auto store = storage::OpenRocksDbStore(to);
    ASSERT_TRUE(store) << store.error().message();
    std::string value;
    const auto found = (*store)->Latest().Get("key2", &value);
    EXPECT_TRUE(found && *found);
  }
  const Outcome again = Run({"restore", "1", "--to", to, "--backup-folder", backups_});
  EXPECT_EQ(again.code, 1);
  EXPECT_THAT(again.errors, HasSubstr("is not empty"));
  EXPECT_EQ(std::count(again.errors.begin(), again.errors.end(), '\n'), 1);
}

TEST_F(BackupCommandTest, MistakesAreOneLine) {
  const auto errors = [](const std::vector<std::string_view>& arguments) {
    return Run(arguments).errors;
  };
  EXPECT_EQ(errors({"crate"}),
            "monotable: There is no command 'backup crate'. Did you mean monotable backup "
            "create?\n");
  EXPECT_EQ(errors({"list", "--to", "x"}),
            "monotable: There is no option --to. See monotable backup --help.\n");
  EXPECT_EQ(errors({"restore", "1"}),
            "monotable: Give --to FOLDER: an empty or a new folder to restore to.\n");
  EXPECT_THAT(errors({"restore", "--to", "x"}), HasSubstr("Give the backup to restore"));
  EXPECT_EQ(errors({"verify", "1", "--all"}), "monotable: Give one backup to verify, or --all.\n");
  EXPECT_THAT(errors({"verify", "one", "--backup-folder", backups_}),
              HasSubstr("'one' is no backup. Give its number, or latest."));
  EXPECT_THAT(errors({"verify", "9", "--backup-folder", backups_}),
              HasSubstr("There is no backup 9 in the folder"));
  const Outcome alone = Run({"create", "--endpoint", "http://127.0.0.1:1"});
  EXPECT_EQ(alone.code, 1);
  EXPECT_EQ(alone.errors,
            "monotable: No answer from 127.0.0.1:1: Connection refused. Is the server "
            "running? Start one with monotable serve, or name another with --endpoint URL.\n");
  EXPECT_EQ(Run({"test", "--endpoint", "http://127.0.0.1:1"}).code, 1);
}

TEST_F(BackupCommandTest, ReportsOfExpiryNeedAServer) {
  EXPECT_EQ(CapturedRun(RunTtl, {"--endpoint", "http://127.0.0.1:1"}).errors,
            "monotable: No answer from 127.0.0.1:1: Connection refused. Is the server "
            "running? Start one with monotable serve, or name another with --endpoint URL.\n");
  EXPECT_EQ(CapturedRun(RunTtl, {"a", "b"}).code, 2);
  EXPECT_THAT(CapturedRun(RunTtl, {"--help"}).output, HasSubstr("Usage: monotable ttl"));
}

TEST(BackupHelpTest, FitsATerminal) {
  for (const std::string& help : {BackupHelp(), TtlHelp(), GeneralHelp()}) {
    for (size_t begin = 0; begin < help.size();) {
      const size_t end = help.find('\n', begin);
      EXPECT_LE(end - begin, 82u) << help.substr(begin, end - begin);
      begin = end + 1;
    }
  }
}

}  // namespace
}  // namespace monotable::cli

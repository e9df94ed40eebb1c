#include "server/private_files.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace monotable::server {
namespace {

namespace fs = std::filesystem;

class PrivateFilesTest : public testing::Test {
 protected:
  PrivateFilesTest()
      : before_(umask(022)),
        folder_(fmt::format("{}monotable_private_files_{}", testing::TempDir(), getpid())) {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  ~PrivateFilesTest() override {
    fs::remove_all(folder_);
    umask(before_);
  }

  // The permissions of a path, in octal digits.
  static std::string ModeOf(const std::string& path) {
    struct stat status = {};
    EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
    return fmt::format("{:04o}", status.st_mode & 07777);
  }
  // The permissions of the folder after they were set and the folder was closed.
  std::string Closed(mode_t mode) {
    EXPECT_EQ(chmod(folder_.c_str(), mode), 0);
    CloseToOthers(folder_, "CURRENT");
    return ModeOf(folder_);
  }
  void Write(const std::string& name) const { std::ofstream(folder_ + "/" + name) << "x"; }

  const mode_t before_;
  const std::string folder_;
};

TEST_F(PrivateFilesTest, NewFilesAreForTheirOwner) {
  MakeFilesPrivate();
  Write("file");
  fs::create_directory(folder_ + "/folder");
  EXPECT_EQ(ModeOf(folder_ + "/file"), "0600");
  EXPECT_EQ(ModeOf(folder_ + "/folder"), "0700");
}

TEST_F(PrivateFilesTest, ClosesAFolderThatIsEmptyOrHasTheMark) {
  EXPECT_EQ(Closed(0755), "0700");
  EXPECT_EQ(Closed(0770), "0700");
  EXPECT_EQ(Closed(02755), "0700");
  Write("CURRENT");
  Write("000001.log");
  EXPECT_EQ(Closed(0755), "0700");
  EXPECT_EQ(Closed(0711), "0700");
  EXPECT_EQ(Closed(0500), "0500");
}

// Somebody may give a folder that is not only for the server: /tmp, or a home.
TEST_F(PrivateFilesTest, LeavesFoldersAloneThatMayBelongToOthers) {
  EXPECT_EQ(Closed(01777), "1777");
  Write("something else");
  EXPECT_EQ(Closed(0755), "0755");
  CloseToOthers(folder_ + "/something else", "CURRENT");
  CloseToOthers(folder_ + "/missing", "CURRENT");
  EXPECT_FALSE(fs::exists(folder_ + "/missing"));
}

}  // namespace
}  // namespace monotable::server

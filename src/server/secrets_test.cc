#include "server/secrets.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/temporary_folder_for_tests.h"

namespace monotable::server {
namespace {

using testing::HasSubstr;

class SecretsTest : public testing::Test {
 protected:
  void SetUp() override { config_.data_folder = folder_.path(); }

  std::string WriteFile(const std::string& text) {
    config_.jwt_secret_file = folder_.path() + "/secret";
    std::ofstream(config_.jwt_secret_file) << text;
    return config_.jwt_secret_file;
  }

  storage::TemporaryFolder folder_;
  Config config_;
};

TEST_F(SecretsTest, KeepsTheKeyOfCursorsForItsOwner) {
  const auto key = LoadCursorKey(config_);
  ASSERT_TRUE(key) << key.error().message();
  EXPECT_EQ(key->size(), 32u);
  EXPECT_EQ(*LoadCursorKey(config_), *key);
  const auto path = std::filesystem::path(config_.data_folder) / "cursor.key";
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::ofstream(path) << "damaged";
  const auto next = LoadCursorKey(config_);
  ASSERT_TRUE(next);
  EXPECT_NE(*next, *key);
  EXPECT_EQ(*LoadCursorKey(config_), *next);
}

TEST_F(SecretsTest, WithoutAFolderTheKeyIsNew) {
  config_.in_memory = true;
  EXPECT_NE(*LoadCursorKey(config_), *LoadCursorKey(config_));
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(config_.data_folder) / "cursor.key"));
}

TEST_F(SecretsTest, SaysWhereTheKeyCannotBe) {
  config_.data_folder += "/none";
  const auto key = LoadCursorKey(config_);
  ASSERT_FALSE(key);
  EXPECT_THAT(key.error().message(), HasSubstr("cursor.key cannot be written"));
}

TEST_F(SecretsTest, ReadsTheSecretOfTokens) {
  EXPECT_EQ(*LoadJwtSecret(config_), "");
  const std::string secret(32, 's');
  WriteFile(secret + "\r\n");
  EXPECT_EQ(*LoadJwtSecret(config_), secret);
  WriteFile(secret.substr(1) + "\n");
  const auto too_short = LoadJwtSecret(config_);
  ASSERT_FALSE(too_short);
  EXPECT_THAT(too_short.error().message(), HasSubstr("less than 32 bytes"));
  config_.jwt_secret_file = folder_.path() + "/none";
  EXPECT_FALSE(LoadJwtSecret(config_));
}

}  // namespace
}  // namespace monotable::server

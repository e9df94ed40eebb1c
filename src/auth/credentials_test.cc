#include "auth/credentials.h"

#include <cstdio>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace monotable::auth {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(CredentialsTest, ReadsFilesOfTheAwsClients) {
  const auto credentials = Credentials::Parse(
      "# a comment\r\n[default]\r\naws_access_key_id = ID1\naws_secret_access_key=se=cret/1\n\n"
      "; another\n[other]\naws_secret_access_key = secret2\nregion = eu-west-1\n"
      "aws_access_key_id = ID2\n[empty]\nregion = x",
      "file");
  ASSERT_TRUE(credentials) << credentials.error().message();
  EXPECT_EQ(credentials->size(), 2u);
  EXPECT_EQ(*credentials->FindSecret("ID1"), "se=cret/1");
  EXPECT_EQ(*credentials->FindSecret("ID2"), "secret2");
  EXPECT_EQ(credentials->FindSecret("ID3"), nullptr);
}

std::string ErrorOf(std::string_view text) {
  const auto credentials = Credentials::Parse(text, "file");
  return credentials ? "" : credentials.error().message();
}

TEST(CredentialsTest, ErrorsNameTheLineAndNoSecret) {
  EXPECT_EQ(ErrorOf("[a]\naws_access_key_id = ID\n"),
            "file, line 1: a section needs both aws_access_key_id and aws_secret_access_key.");
  EXPECT_THAT(ErrorOf("[a]\naws_secret_access_key = hidden\n[b]\n"),
              testing::AllOf(HasSubstr("line 1"), Not(HasSubstr("hidden"))));
  EXPECT_EQ(ErrorOf("[a]\nhidden\n"), "file, line 2: expected [section] or key = value.");
  EXPECT_THAT(ErrorOf(""), HasSubstr("file holds no access keys."));
  EXPECT_EQ(ErrorOf("[a]\naws_access_key_id=I\naws_secret_access_key=hidden1\n"
                    "[b]\naws_access_key_id=I\naws_secret_access_key=hidden2\n"),
            "file, line 4: Access key id 'I' is given twice with different secrets.");
}

TEST(CredentialsTest, RefusesIdsThatCannotBeSent) {
  Credentials credentials;
  EXPECT_FALSE(credentials.Add("", "s"));
  EXPECT_FALSE(credentials.Add("id", ""));
  EXPECT_FALSE(credentials.Add("a/b", "s"));
  EXPECT_FALSE(credentials.Add("a b", "s"));
  EXPECT_TRUE(credentials.empty());
  EXPECT_TRUE(credentials.Add("id", "s"));
  EXPECT_TRUE(credentials.Add("id", "s")) << "the same again is fine";
}

TEST(CredentialsTest, ReadsFromDisk) {
  const std::string path =
      fmt::format("{}monotable_credentials_test_{}", testing::TempDir(), getpid());
  std::ofstream(path) << "aws_access_key_id = ID\naws_secret_access_key = s\n";
  EXPECT_TRUE(Credentials::FromFile(path));
  std::remove(path.c_str());
  const auto absent = Credentials::FromFile(path + ".absent");
  ASSERT_FALSE(absent);
  EXPECT_THAT(absent.error().message(), HasSubstr("Cannot read the credentials file"));
}

}  // namespace
}  // namespace monotable::auth

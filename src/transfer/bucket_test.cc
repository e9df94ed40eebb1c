#include "transfer/bucket.h"

#include <filesystem>

#include "transfer/file_fixture.h"

namespace monotable::transfer {
namespace {

namespace fs = std::filesystem;

class BucketTest : public testing::Test {
 protected:
  Bucket Make(const std::string& name = "data") {
    auto made = Bucket::Make(root(), name);
    EXPECT_TRUE(made) << made.error().message();
    return std::move(*made);
  }

  std::vector<std::string> Keys(const Bucket& bucket, const std::string& prefix) {
    auto objects = bucket.List(prefix);
    EXPECT_TRUE(objects) << objects.error().message();
    std::vector<std::string> keys;
    for (const Object& object : *objects) keys.push_back(object.key);
    return keys;
  }

  std::string root() const { return folder_.path() + "/s3"; }

  storage::TemporaryFolder folder_;
};

using Strings = std::vector<std::string>;

TEST_F(BucketTest, IsMadeWithItsRoot) {
  EXPECT_FALSE(*Bucket::Find(root(), "data"));
  Make();
  EXPECT_TRUE(fs::is_directory(root() + "/data"));
  EXPECT_TRUE(*Bucket::Find(root(), "data"));
  Make();  // again
}

TEST_F(BucketTest, ObjectsAreListedByWhatTheirKeysBeginWith) {
  const Bucket bucket = Make();
  for (const char* key : {"b/2", "a/x/1", "a/xy", "a/z", "ab", "c"}) {
    ASSERT_TRUE(bucket.Put(key, "text"));
  }
  EXPECT_EQ(Keys(bucket, ""), (Strings{"a/x/1", "a/xy", "a/z", "ab", "b/2", "c"}));
  EXPECT_EQ(Keys(bucket, "a"), (Strings{"a/x/1", "a/xy", "a/z", "ab"}));
  EXPECT_EQ(Keys(bucket, "a/"), (Strings{"a/x/1", "a/xy", "a/z"}));
  EXPECT_EQ(Keys(bucket, "a/x"), (Strings{"a/x/1", "a/xy"}));
  EXPECT_EQ(Keys(bucket, "a/x/1"), (Strings{"a/x/1"}));
  EXPECT_EQ(Keys(bucket, "nowhere/x"), Strings());
  EXPECT_EQ((*bucket.List("c"))[0].bytes, 4);
}

TEST_F(BucketTest, AnObjectAppearsWhenItIsComplete) {
  const Bucket bucket = Make();
  ASSERT_TRUE(bucket.Put("a/b", "old"));
  {
    auto object = bucket.Create("a/b");
    ASSERT_TRUE(object);
    ASSERT_TRUE(object->Append("new"));
    EXPECT_EQ(Keys(bucket, ""), (Strings{"a/b"}));
    EXPECT_EQ(ReadFile(root() + "/data/a/b"), "old");
  }
  // Without an end it leaves nothing behind.
  EXPECT_EQ(std::distance(fs::directory_iterator(root() + "/data/a"), fs::directory_iterator()), 1);
  auto object = bucket.Create("a/b");
  ASSERT_TRUE(object);
  ASSERT_TRUE(object->Append("new"));
  ASSERT_TRUE(object->Finish());
  EXPECT_EQ(ReadFile(root() + "/data/a/b"), "new");
}

TEST_F(BucketTest, KeysDoNotLeadOutOfTheFolder) {
  const Bucket bucket = Make();
  for (const std::string key : {"../x", "a/../../x", "/etc/x", "a//x", "./x", "..", "a/.."}) {
    EXPECT_FALSE(bucket.Put(key, "text")) << key;
    EXPECT_FALSE(bucket.Open(key)) << key;
  }
  EXPECT_FALSE(bucket.List("../"));
  EXPECT_FALSE(bucket.List("/etc/"));
  EXPECT_FALSE(fs::exists(root() + "/x"));
}

TEST_F(BucketTest, BucketsDoNotLeadOutOfTheRoot) {
  fs::create_directories(folder_.path() + "/secret");
  for (const std::string name : {"..", ".", "../secret", "a/b", "/etc", "", "-a", "a-", "x"}) {
    EXPECT_FALSE(Bucket::Make(root(), name)) << name;
    EXPECT_FALSE(Bucket::Find(root(), name)) << name;
  }
}

TEST_F(BucketTest, SymbolicLinksAreNotFollowed) {
  const std::string secret = folder_.path() + "/secret";
  fs::create_directories(secret);
  WriteFile(secret + "/file", "secret");
  const Bucket bucket = Make();
  fs::create_symlink(secret, root() + "/data/folder");
  fs::create_symlink(secret + "/file", root() + "/data/link");
  fs::create_symlink(secret, root() + "/linked");
  EXPECT_EQ(Keys(bucket, ""), Strings());
  EXPECT_FALSE(bucket.Open("link"));
  EXPECT_FALSE(bucket.Open("folder/file"));
  EXPECT_FALSE(bucket.Put("folder/other", "text"));
  EXPECT_FALSE(bucket.List("folder/"));
  EXPECT_FALSE(Bucket::Find(root(), "linked"));
  EXPECT_FALSE(Bucket::Make(root(), "linked"));
  // A link under the name of an object is replaced, and what it led to stays.
  ASSERT_TRUE(bucket.Put("link", "text"));
  EXPECT_EQ(ReadFile(secret + "/file"), "secret");
  EXPECT_FALSE(fs::is_symlink(root() + "/data/link"));
}

TEST_F(BucketTest, ALinkInPlaceOfAPartialObjectIsNotWrittenThrough) {
  const Bucket bucket = Make();
  const std::string victim = folder_.path() + "/victim";
  WriteFile(victim, "untouched");
  fs::create_symlink(victim, root() + "/data/.x.partial");
  ASSERT_TRUE(bucket.Put("x", "text"));
  EXPECT_EQ(ReadFile(victim), "untouched");
  EXPECT_EQ(ReadFile(root() + "/data/x"), "text");
}

TEST_F(BucketTest, WithoutARootNothingIsThere) {
  EXPECT_THAT(Bucket::Make("", "data").error().message(), testing::HasSubstr("--s3-folder"));
}

}  // namespace
}  // namespace monotable::transfer

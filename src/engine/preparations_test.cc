#include "engine/preparations.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace monotable::engine {
namespace {

constexpr size_t kMegabyte = size_t{1} << 20;

class PreparationsTest : public testing::Test {
 protected:
  void Start(char name, size_t bytes) {
    preparations_.Start(
        bytes, [](const Preparations::Task& task) { task(); }, [this, name] { order_ += name; });
  }

  Preparations preparations_;
  std::string order_;
};

TEST_F(PreparationsTest, WaitForRoomInTheirOrder) {
  Start('a', 40 * kMegabyte);
  Start('b', 40 * kMegabyte);
  Start('c', kMegabyte);
  EXPECT_EQ(order_, "a") << "nothing overtakes";
  preparations_.Resize(40 * kMegabyte, 30 * kMegabyte);
  EXPECT_EQ(order_, "a");
  preparations_.Resize(30 * kMegabyte, 10 * kMegabyte);
  EXPECT_EQ(order_, "abc");
}

TEST_F(PreparationsTest, WhatIsLargerThanTheRoomGoesAlone) {
  Start('a', 1000 * kMegabyte);
  Start('b', 1000 * kMegabyte);
  EXPECT_EQ(order_, "a");
  preparations_.End(1000 * kMegabyte);
  EXPECT_EQ(order_, "ab");
  Start('c', 1);
  EXPECT_EQ(order_, "ab");
  preparations_.End(1000 * kMegabyte);
  EXPECT_EQ(order_, "abc");
}

TEST_F(PreparationsTest, WithoutAnExecutorThereIsNoPlace) {
  EXPECT_FALSE(preparations_.Enter());
  preparations_.SetExecutor(nullptr);
}

class KeyClaimsTest : public testing::Test {
 protected:
  using Keys = std::vector<storage::NamedKey>;

  void WhenFree(char name, const Keys& keys) {
    claims_.WhenFree(keys, [this, name] { order_ += name; });
  }
  void Claim(char name, const Keys& keys) {
    claims_.Claim(keys, [this, name] { order_ += name; });
  }

  KeyClaims claims_;
  std::string order_;
};

TEST_F(KeyClaimsTest, OthersWaitForTheirKeysOnly) {
  EXPECT_FALSE(claims_.any());
  Claim('A', {{"x"}, {"y"}});
  EXPECT_TRUE(claims_.any());
  WhenFree('b', {{"z"}, {"y"}});
  WhenFree('c', {{"z"}});
  EXPECT_EQ(order_, "Ac");
  claims_.Release(Keys{{"x"}, {"y"}});
  EXPECT_EQ(order_, "Acb");
  EXPECT_FALSE(claims_.any());
}

TEST_F(KeyClaimsTest, ClaimsFollowEachOther) {
  Claim('A', {{"x"}});
  Claim('B', {{"x"}, {"y"}});
  Claim('C', {{"y"}});  // waits, although y is free, so that B is not overtaken for ever
  WhenFree('d', {{"y"}});
  WhenFree('e', {{"x"}});
  EXPECT_EQ(order_, "Ad");
  claims_.Release(Keys{{"x"}});
  EXPECT_EQ(order_, "AdB");
  claims_.Release(Keys{{"x"}, {"y"}});
  EXPECT_EQ(order_, "AdBCe");
  EXPECT_TRUE(claims_.any());
  claims_.Release(Keys{{"y"}});
  EXPECT_FALSE(claims_.any());
}

TEST_F(KeyClaimsTest, ThoseThatOnlyShareAKeyDoNotWait) {
  const storage::NamedKey shared{"x", storage::KeyMode::kShared};
  Claim('A', {shared, {"y"}});
  Claim('B', {shared});
  WhenFree('c', {shared});
  WhenFree('d', {{"x"}});
  EXPECT_EQ(order_, "ABc");
  claims_.Release(Keys{shared, {"y"}});
  EXPECT_EQ(order_, "ABc");
  claims_.Release(Keys{shared});
  EXPECT_EQ(order_, "ABcd");
  Claim('E', {{"x"}});
  WhenFree('f', {shared});
  EXPECT_EQ(order_, "ABcdE");
  claims_.Release(Keys{{"x"}});
  EXPECT_EQ(order_, "ABcdEf");
}

}  // namespace
}  // namespace monotable::engine

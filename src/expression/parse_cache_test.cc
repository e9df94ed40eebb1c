#include "expression/parse_cache.h"

#include <string>

#include <gtest/gtest.h>

namespace monotable::expression {
namespace {

class ParseCacheTest : public testing::Test {
 protected:
  std::shared_ptr<const std::string> Find(const std::string& text) {
    auto found = cache_.FindOrParse(text, [&]() -> Result<std::string> {
      ++parses_;
      if (text == "bad") return Error::Validation("bad");
      return "parsed " + text;
    });
    return found ? *found : nullptr;
  }

  ParseCache<std::string> cache_{2};
  int parses_ = 0;
};

TEST_F(ParseCacheTest, ParsesATextOnce) {
  const auto first = Find("a");
  EXPECT_EQ(*first, "parsed a");
  EXPECT_EQ(Find(std::string("a")), first);
  EXPECT_EQ(parses_, 1);
}

TEST_F(ParseCacheTest, DropsTheLeastRecentlyUsed) {
  const auto a = Find("a");
  Find("b");
  Find("a");
  Find("c");  // instead of b
  EXPECT_EQ(cache_.size(), 2u);
  EXPECT_EQ(Find("a"), a);
  EXPECT_EQ(parses_, 3);
  Find("b");
  EXPECT_EQ(parses_, 4);
}

TEST_F(ParseCacheTest, WhatItDropsStaysAliveForItsUsers) {
  const auto a = Find("a");
  Find("b");
  Find("c");
  EXPECT_EQ(*a, "parsed a");
}

TEST_F(ParseCacheTest, DoesNotKeepErrors) {
  EXPECT_EQ(Find("bad"), nullptr);
  EXPECT_EQ(Find("bad"), nullptr);
  EXPECT_EQ(parses_, 2);
  EXPECT_EQ(cache_.size(), 0u);
}

}  // namespace
}  // namespace monotable::expression

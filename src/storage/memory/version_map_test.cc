#include "storage/memory/version_map.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace monotable::storage {

namespace {

void Put(VersionMap* map, const std::string& key, const std::string& value) {
  VersionMap::Change(map).Put(key, value);
}

void SweepAll(VersionMap* map) {
  while (map->Sweep()) {
  }
}

TEST(VersionMapTest, ForgetsWhatNobodySees) {
  VersionMap map;
  Put(&map, "a", std::string(1000, 'x'));
  const uint64_t one_version = map.bytes();
  for (int i = 0; i < 10; ++i) Put(&map, "a", std::string(1000, 'x'));
  EXPECT_EQ(map.bytes(), one_version);

  auto pin = std::make_unique<VersionMap::Pin>(map);
  for (int i = 0; i < 10; ++i) Put(&map, "a", std::string(1000, 'y'));
  Put(&map, "b", "");
  VersionMap::Change(&map).Delete("b");
  SweepAll(&map);
  std::string value;
  EXPECT_TRUE(map.Get("a", pin->version(), &value));
  EXPECT_EQ(value, std::string(1000, 'x'));
  EXPECT_GT(map.bytes(), one_version);

  pin.reset();
  SweepAll(&map);
  EXPECT_EQ(map.bytes(), one_version);
  VersionMap::Change(&map).Delete("a");
  EXPECT_EQ(map.bytes(), 0u);
}

TEST(VersionMapTest, ClearsRemovedRangesBitByBit) {
  constexpr int kKeys = 10000;
  VersionMap map;
  {
    VersionMap::Change change(&map);
    for (int i = 0; i < kKeys; ++i) change.Put("k" + std::to_string(i), "v");
  }
  auto pin = std::make_unique<VersionMap::Pin>(map);
  VersionMap::Change(&map).DeleteRange({"k", "l"});
  Put(&map, "k5", "again");
  EXPECT_FALSE(map.Sweep()) << "somebody still looks";
  std::string value;
  EXPECT_TRUE(map.Get("k7", pin->version(), &value));
  EXPECT_FALSE(map.Get("k7", VersionMap::kLatest, &value));

  pin.reset();
  int steps = 1;
  while (map.Sweep()) {
    ++steps;
    EXPECT_FALSE(map.Get("k7", VersionMap::kLatest, &value));
    EXPECT_TRUE(map.Get("k5", VersionMap::kLatest, &value));
  }
  EXPECT_GT(steps, 10);
  EXPECT_LT(map.bytes(), 1000u);
  EXPECT_EQ(map.Find("k5"), "again");
}

}  // namespace

}  // namespace monotable::storage

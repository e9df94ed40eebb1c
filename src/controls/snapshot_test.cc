#include "controls/snapshot.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/memory/memory_store.h"

namespace monotable::controls {
namespace {

using testing::ElementsAre;
using testing::Pair;

uint64_t PutOne(storage::Store& store, const std::string& key, const std::string& value) {
  uint64_t sequence = 0;
  EXPECT_TRUE(storage::UpdateAndWait(
      store, {key}, [&](auto, const storage::Commit& commit, storage::Batch* batch) {
        sequence = commit.sequence;
        batch->Put(key, value);
      }));
  return sequence;
}

TEST(SnapshotTest, HasEverythingUpToItsMoment) {
  const auto store = storage::NewMemoryStore();
  const std::string log_key = std::string(1, storage::kLogPrefix) + "change";
  PutOne(*store, "b", "2");
  PutOne(*store, "a", "1");
  const uint64_t last = PutOne(*store, log_key, "3");
  const auto snapshot = TakeSnapshot(*store);
  ASSERT_TRUE(snapshot);
  PutOne(*store, "c", "4");
  EXPECT_THAT(snapshot->entries, ElementsAre(Pair(log_key, "3"), Pair("a", "1"), Pair("b", "2")));
  EXPECT_EQ(snapshot->last_sequence, last);
}

TEST(SnapshotTest, FillsAnotherStoreWhoseSequencesGoOn) {
  const auto first = storage::NewMemoryStore();
  for (int i = 0; i < 20; ++i) PutOne(*first, "key" + std::to_string(i), "value");
  const auto snapshot = TakeSnapshot(*first);
  ASSERT_TRUE(snapshot);
  const auto second = storage::NewMemoryStore({.last_sequence = snapshot->last_sequence});
  ASSERT_TRUE(FillStore(*snapshot, *second));
  const auto again = TakeSnapshot(*second);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->entries, snapshot->entries);
  EXPECT_GT(PutOne(*second, "next", ""), snapshot->last_sequence);
}

TEST(SnapshotTest, MayBeEmpty) {
  const auto store = storage::NewMemoryStore();
  const auto snapshot = TakeSnapshot(*store);
  ASSERT_TRUE(snapshot);
  EXPECT_TRUE(snapshot->entries.empty());
  EXPECT_TRUE(FillStore(*snapshot, *store));
}

}  // namespace
}  // namespace monotable::controls

#include "storage/faulty/faulty_store.h"

#include <string>

#include <gtest/gtest.h>

#include "storage/memory/memory_store.h"
#include "storage/rocksdb/rocksdb_store.h"
#include "storage/temporary_folder_for_tests.h"

namespace monotable::storage {

namespace {

using SeenValues = std::span<const std::optional<std::string_view>>;

std::unique_ptr<FaultyStore> MakeStore(const FaultOptions& options = {}) {
  return NewFaultyStore(NewMemoryStore(), options);
}

Status Put(Store& store, const std::string& key) {
  return UpdateAndWait(store, {key},
                       [&](SeenValues, const Commit&, Batch* batch) { batch->Put(key, "v"); });
}

std::string Pattern(uint64_t seed, int calls) {
  auto store = MakeStore({.seed = seed, .fail_update = 0.5});
  std::string pattern;
  for (int i = 0; i < calls; ++i) pattern += Put(*store, "k") ? '.' : 'x';
  return pattern;
}

TEST(FaultyStoreTest, FailsTheUpdateThatWasOrdered) {
  auto store = MakeStore();
  store->FailUpdate(2);
  EXPECT_TRUE(Put(*store, "a"));
  EXPECT_FALSE(Put(*store, "b"));
  EXPECT_TRUE(Put(*store, "c"));
  std::string value;
  EXPECT_TRUE(*store->Latest().Get("a", &value));
  EXPECT_FALSE(*store->Latest().Get("b", &value));
  EXPECT_TRUE(*store->Latest().Get("c", &value));
}

TEST(FaultyStoreTest, FailsTheReadsThatWereOrdered) {
  auto store = MakeStore();
  for (const char* key : {"a", "b", "c"}) ASSERT_TRUE(Put(*store, key));
  std::string value;
  store->FailGet(2);
  EXPECT_TRUE(store->Latest().Get("a", &value));
  EXPECT_FALSE(store->Latest().Get("a", &value));
  EXPECT_TRUE(store->Snapshot()->Get("a", &value));

  store->FailScan(1);
  auto cursor = store->Latest().Scan({}, Direction::kForward);
  while (cursor->Valid()) cursor->Next();
  EXPECT_FALSE(cursor->status());
  cursor = store->Latest().Scan({}, Direction::kForward);
  while (cursor->Valid()) cursor->Next();
  EXPECT_TRUE(cursor->status());
}

TEST(FaultyStoreTest, FailsTheBulkWriteThatWasOrdered) {
  auto store = MakeStore();
  store->FailBulkWrite(2);
  std::string value;
  for (const char* key : {"a", "b", "c"}) {
    auto bulk_write = store->StartBulkWrite();
    ASSERT_TRUE(bulk_write);
    ASSERT_TRUE((*bulk_write)->Put(key, "v"));
    const bool expected = std::string(key) != "b";
    EXPECT_EQ((*bulk_write)->Finish().has_value(), expected);
    EXPECT_EQ(*store->Latest().Get(key, &value), expected);
  }
}

TEST(FaultyStoreTest, FailsTheCheckpointThatWasOrdered) {
  const TemporaryFolder folder;
  auto on_disk = OpenRocksDbStore(folder.path() + "/data");
  ASSERT_TRUE(on_disk);
  auto store = NewFaultyStore(*std::move(on_disk));
  ASSERT_TRUE(Put(*store, "a"));
  const std::string checkpoint = folder.path() + "/checkpoint";
  store->FailCheckpoint(1);
  EXPECT_FALSE(store->Checkpoint(checkpoint));
  const auto reader = store->Checkpoint(checkpoint);
  ASSERT_TRUE(reader);
  std::string value;
  EXPECT_TRUE(*(*reader)->Get("a", &value));
}

// A store in memory says what to do instead.
TEST(FaultyStoreTest, PassesOnWhatTheStoreRefuses) {
  const auto reader = MakeStore()->Checkpoint("/anywhere");
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code(), ErrorCode::kValidation);
  EXPECT_NE(reader.error().message().find("Start the server with a data folder"),
            std::string::npos);
}

TEST(FaultyStoreTest, RepeatsFaultsOfASeed) {
  const std::string pattern = Pattern(1, 200);
  EXPECT_EQ(Pattern(1, 200), pattern);
  EXPECT_NE(Pattern(2, 200), pattern);
  const auto failures = std::count(pattern.begin(), pattern.end(), 'x');
  EXPECT_GT(failures, 60);
  EXPECT_LT(failures, 140);
}

TEST(FaultyStoreTest, DecidesTwice) {
  auto store = MakeStore({.repeat_decide = 1});
  int decided = 0;
  ASSERT_TRUE(UpdateAndWait(*store, {}, [&](SeenValues, const Commit&, Batch* batch) {
    ++decided;
    batch->Increment("n", 1);
  }));
  EXPECT_EQ(decided, 2);
  std::string value;
  ASSERT_TRUE(*store->Latest().Get("n", &value));
  EXPECT_EQ(value[0], 1);
}

}  // namespace

}  // namespace monotable::storage

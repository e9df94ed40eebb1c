#include "entities/write/range_recorder.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "storage/memory/memory_store.h"
#include "work/meter.h"

namespace monotable::entities {
namespace {

using storage::Direction;

class RangeRecorderTest : public testing::Test {
 protected:
  RangeRecorderTest() {
    for (const char* key : {"a", "b", "c", "d"}) Put(key, "1");
  }

  void Put(const std::string& key, const std::string& value) {
    ASSERT_TRUE(storage::UpdateAndWait(
        *store_, {key}, [&](auto, const auto&, storage::Batch* batch) { batch->Put(key, value); }));
  }

  // Reads so many entries, and stands at the one after them.
  void Read(const storage::Range& range, Direction direction, int entries) {
    const auto cursor = recorder_.Scan(range, direction);
    for (int i = 0; i < entries; ++i) cursor->Next();
  }

  // The keys of which a change is noticed.
  std::string Noticed() {
    std::string noticed;
    for (const std::string key : {"0", "a", "aa", "b", "c", "d", "e"}) {
      std::string before;
      const bool found = *store_->Latest().Get(key, &before);
      Put(key, "2");
      if (!AllHold()) noticed += key + " ";
      EXPECT_TRUE(
          storage::UpdateAndWait(*store_, {key}, [&](auto, const auto&, storage::Batch* batch) {
            if (found) {
              batch->Put(key, before);
            } else {
              batch->Delete(key);
            }
          }));
      EXPECT_TRUE(AllHold());
    }
    return noticed;
  }
  bool AllHold() {
    for (const storage::SeenRange& seen : recorder_.seen()) {
      const auto holds = storage::HoldsAsSeen(store_->Latest(), seen);
      EXPECT_TRUE(holds);
      if (!*holds) return false;
    }
    return true;
  }

  std::unique_ptr<storage::Store> store_ = storage::NewMemoryStore();
  RangeRecorder recorder_{*store_};
};

TEST_F(RangeRecorderTest, WhatIsReadByKeyIsNotRemembered) {
  std::string value;
  EXPECT_TRUE(*recorder_.Get("a", &value));
  EXPECT_TRUE(recorder_.seen().empty());
}

TEST_F(RangeRecorderTest, AWholeRangeIsRemembered) {
  Read({"a", "d"}, Direction::kForward, 3);
  EXPECT_EQ(Noticed(), "a aa b c ");
}

TEST_F(RangeRecorderTest, ACursorRemembersWhatItHasReached) {
  Read({"a", "e"}, Direction::kForward, 1);
  EXPECT_EQ(Noticed(), "a aa b ");
}

TEST_F(RangeRecorderTest, ACursorThatGoesBackwardDoes) {
  Read({"0", "e"}, Direction::kBackward, 1);
  EXPECT_EQ(Noticed(), "c d ");
}

TEST_F(RangeRecorderTest, ACursorThatGoesBackwardToTheEndDoes) {
  Read({"aa", "d"}, Direction::kBackward, 2);
  EXPECT_EQ(Noticed(), "aa b c ");
}

TEST_F(RangeRecorderTest, ACursorEndsWhenItsWorkIsStopped) {
  const work::Meter meter(2 * work::kCursorStepUnits + 10);
  const auto cursor = recorder_.Scan({"a", "e"}, Direction::kForward);
  int entries = 0;
  for (; cursor->Valid(); cursor->Next()) ++entries;
  EXPECT_EQ(entries, 2);
  EXPECT_FALSE(cursor->status());
  EXPECT_TRUE(meter.stopped());
}

TEST_F(RangeRecorderTest, TheSameIsRememberedOnce) {
  Read({"a", "c"}, Direction::kForward, 2);
  Read({"a", "c"}, Direction::kForward, 2);
  EXPECT_EQ(recorder_.seen().size(), 1u);
  Put("a", "other");
  Read({"a", "c"}, Direction::kForward, 2);
  EXPECT_EQ(recorder_.seen().size(), 2u);
  EXPECT_FALSE(AllHold()) << "one of them must be wrong";
}

}  // namespace
}  // namespace monotable::entities

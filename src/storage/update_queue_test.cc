#include "storage/update_queue.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <gtest/gtest.h>

namespace monotable::storage {

namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

class NamedUpdate : public Update {
 public:
  NamedUpdate(char name, size_t weight) : name_(name), weight_(weight) {}
  std::span<const NamedKey> keys() const override { return {}; }
  size_t weight() const override { return weight_; }
  void Decide(const Current&, const Commit&, Batch*) override {}
  void Done(Status) override {}
  char name() const { return name_; }

 private:
  const char name_;
  const size_t weight_;
};

std::string NamesOf(const UpdateQueue::Updates& updates) {
  std::string names;
  for (const auto& update : updates) names += static_cast<const NamedUpdate&>(*update).name();
  return names;
}

// What the taker gets with its next turn.
std::string Take(UpdateQueue& queue, const HeavyTurn& turn) {
  UpdateQueue::Updates taken;
  return queue.Take(&taken, turn) ? NamesOf(taken) : "closed";
}

constexpr size_t kHeavy = kHeavyUpdateBytes + 1;

HeavyTurn Now(size_t bytes) {
  return {.begin = {}, .bytes = bytes};
}

HeavyTurn Later() {
  return {.begin = std::chrono::steady_clock::now() + hours(1), .bytes = 10 * kHeavy};
}

TEST(UpdateQueueTest, ATurnHasHeavyUpdatesUpToItsBytes) {
  UpdateQueue queue;
  for (const char name : {'A', 'B', 'C', 'D'}) {
    queue.Push(std::make_unique<NamedUpdate>(name, kHeavy));
  }
  queue.Push(std::make_unique<NamedUpdate>('E', 9 * kHeavy));
  queue.Push(std::make_unique<NamedUpdate>('a', 0));
  queue.Push(std::make_unique<NamedUpdate>('b', kHeavyUpdateBytes));
  EXPECT_EQ(Take(queue, Now(3 * kHeavy)), "abABC");
  EXPECT_EQ(Take(queue, Now(3 * kHeavy)), "D");
  EXPECT_EQ(Take(queue, Now(3 * kHeavy)), "E") << "which is more than a turn, but alone";
}

TEST(UpdateQueueTest, HeavyUpdatesWaitForTheirTurnAndLightOnesDoNot) {
  UpdateQueue queue;
  queue.Push(std::make_unique<NamedUpdate>('A', kHeavy));
  queue.Push(std::make_unique<NamedUpdate>('a', 0));
  EXPECT_EQ(Take(queue, Later()), "a");
  queue.Push(std::make_unique<NamedUpdate>('b', 0));
  EXPECT_EQ(Take(queue, Later()), "b");
  EXPECT_EQ(Take(queue, {.begin = std::chrono::steady_clock::now() + milliseconds(1)}), "A");
}

TEST(UpdateQueueTest, AQueueThatIsClosedDoesNotMakeHeavyUpdatesWait) {
  UpdateQueue queue;
  queue.Push(std::make_unique<NamedUpdate>('A', kHeavy));
  queue.Close();
  EXPECT_EQ(Take(queue, Later()), "A");
  EXPECT_EQ(Take(queue, Later()), "closed");
}

class HeavyTurnsTest : public testing::Test {
 protected:
  static HeavyTurns::Time At(int64_t ms) { return HeavyTurns::Time(hours(1)) + milliseconds(ms); }
  // When the next turn begins, for a taker that asks at that moment.
  int64_t NextAt(int64_t ms) const {
    const auto begin = turns_.Next(At(ms)).begin - At(0);
    return std::max(ms, std::chrono::duration_cast<milliseconds>(begin).count());
  }

  HeavyTurns turns_;
};

TEST_F(HeavyTurnsTest, WithoutLightUpdatesThereAreNoRests) {
  turns_.RanHeavy(At(0), At(50));
  EXPECT_EQ(NextAt(50), 50);
  EXPECT_EQ(turns_.Next(At(50)).bytes, HeavyTurn().bytes);
}

TEST_F(HeavyTurnsTest, ARestEndsSoonWhenNoLightUpdateComes) {
  turns_.RanLight(At(0));
  turns_.RanHeavy(At(0), At(50));
  EXPECT_LT(turns_.Next(At(50)).bytes, HeavyTurn().bytes);
  const int64_t rest = NextAt(50) - 50;
  EXPECT_GT(rest, 0);
  EXPECT_LT(rest, 20);
  turns_.RanLight(At(51));
  EXPECT_EQ(NextAt(51), 51 + rest);
}

TEST_F(HeavyTurnsTest, ARestIsAtMostAsLongAsItsTurn) {
  turns_.RanLight(At(0));
  turns_.RanHeavy(At(0), At(20));
  for (int64_t ms = 21; ms < 40; ++ms) {
    EXPECT_GT(NextAt(ms), ms);
    turns_.RanLight(At(ms));
  }
  turns_.RanLight(At(40));
  EXPECT_EQ(NextAt(40), 40);
}

TEST_F(HeavyTurnsTest, ALongTurnIsNotAPauseOfTheLightUpdates) {
  turns_.RanLight(At(0));
  turns_.RanHeavy(At(0), At(900));
  EXPECT_GT(NextAt(901), 901);
  turns_.RanHeavy(At(1000), At(1001));
  EXPECT_EQ(NextAt(1100), 1100) << "because no light update has come for long";
}

}  // namespace

}  // namespace monotable::storage

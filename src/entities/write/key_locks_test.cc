#include "entities/write/key_locks.h"

#include <array>
#include <atomic>
#include <future>
#include <iterator>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace monotable::entities {
namespace {

using Mode = KeyLocks::Mode;
using testing::ElementsAre;
using testing::IsEmpty;

class KeyLocksTest : public testing::Test {
 protected:
  // Has one wait in line for a name, and keeps what it gets under its own name.
  void WaitFor(const std::string& name, Mode mode, const std::string& who) {
    KeyLocks::Holder holder(locks_);
    ASSERT_FALSE(holder.Acquire(name, mode));
    holder.Wait([this, who](KeyLocks::Holder locks) {
      woken_.push_back(who);
      held_.push_back(std::make_unique<KeyLocks::Holder>(std::move(locks)));
    });
  }

  KeyLocks locks_;
  std::vector<std::string> woken_;
  std::vector<std::unique_ptr<KeyLocks::Holder>> held_;
};

TEST_F(KeyLocksTest, ANameIsHandedOnInTheOrderOfThoseWhoWait) {
  KeyLocks::Holder first(locks_);
  ASSERT_TRUE(first.Acquire("a", Mode::kExclusive));
  for (const char* who : {"2", "3", "4"}) WaitFor("a", Mode::kExclusive, who);
  EXPECT_THAT(woken_, IsEmpty());
  first.Release();
  EXPECT_THAT(woken_, ElementsAre("2"));  // the others are not disturbed
  held_[0]->Release();
  EXPECT_THAT(woken_, ElementsAre("2", "3"));
  held_[1]->Release();
  EXPECT_THAT(woken_, ElementsAre("2", "3", "4"));
}

TEST_F(KeyLocksTest, NobodyPassesThoseWhoWait) {
  KeyLocks::Holder first(locks_);
  ASSERT_TRUE(first.Acquire("a", Mode::kShared));
  WaitFor("a", Mode::kExclusive, "writer");
  KeyLocks::Holder late(locks_);
  EXPECT_FALSE(late.Acquire("a", Mode::kShared));  // or the writer would never have its turn
  first.Release();
  EXPECT_THAT(woken_, ElementsAre("writer"));
}

TEST_F(KeyLocksTest, ThoseWhoShareANameGetItTogether) {
  KeyLocks::Holder first(locks_);
  ASSERT_TRUE(first.Acquire("a", Mode::kExclusive));
  WaitFor("a", Mode::kShared, "2");
  WaitFor("a", Mode::kShared, "3");
  WaitFor("a", Mode::kExclusive, "4");
  first.Release();
  EXPECT_THAT(woken_, ElementsAre("2", "3"));
  held_[0]->Release();
  held_[1]->Release();
  EXPECT_THAT(woken_, ElementsAre("2", "3", "4"));
}

TEST_F(KeyLocksTest, AWaiterGetsAllNamesThatItKnows) {
  KeyLocks::Holder other(locks_);
  ASSERT_TRUE(other.Acquire("b", Mode::kExclusive));
  KeyLocks::Holder holder(locks_);
  ASSERT_TRUE(holder.Acquire("a", Mode::kShared));
  ASSERT_TRUE(holder.Acquire("c", Mode::kExclusive));
  ASSERT_FALSE(holder.Acquire("b", Mode::kExclusive));
  holder.Wait([this](KeyLocks::Holder locks) {
    held_.push_back(std::make_unique<KeyLocks::Holder>(std::move(locks)));
  });
  KeyLocks::Holder free(locks_);
  EXPECT_TRUE(free.Acquire("c", Mode::kExclusive));  // those after the one that is missing
  free.Release();
  other.Release();
  ASSERT_EQ(held_.size(), 1u);
  KeyLocks::Holder late(locks_);
  for (const char* name : {"b", "c"}) EXPECT_FALSE(late.Acquire(name, Mode::kShared)) << name;
  EXPECT_TRUE(late.Acquire("a", Mode::kShared));
  EXPECT_FALSE(late.Acquire("a", Mode::kExclusive));
  held_.clear();
  EXPECT_TRUE(late.Acquire("a", Mode::kExclusive));
  EXPECT_TRUE(late.Acquire("b", Mode::kExclusive));
}

// Writes that need several names in any order, each found out one by one: all come to an end, and
// no two have a name at the same time.
TEST_F(KeyLocksTest, EveryoneGetsThroughWithNamesInAnyOrder) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 300;
  constexpr size_t kNames = 5;
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::array<std::atomic<int>, kNames> users{};
  std::array<int, kNames> counts{};  // each under the lock of its name
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      std::mt19937 random(seed + static_cast<unsigned>(thread));
      for (int round = 0; round < kRounds; ++round) {
        const size_t wanted[] = {random() % kNames, random() % kNames, random() % kNames};
        auto holder = std::make_unique<KeyLocks::Holder>(locks_);
        while (true) {
          bool missed = false;
          for (const size_t name : wanted) {
            missed = missed || !holder->Acquire(std::to_string(name), Mode::kExclusive);
          }
          if (!missed) break;
          std::promise<std::unique_ptr<KeyLocks::Holder>> woken;
          holder->Wait([&woken](KeyLocks::Holder locks) {
            woken.set_value(std::make_unique<KeyLocks::Holder>(std::move(locks)));
          });
          holder = woken.get_future().get();
        }
        for (const size_t name : std::set<size_t>(std::begin(wanted), std::end(wanted))) {
          EXPECT_EQ(users[name]++, 0);
          ++counts[name];
          --users[name];
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(std::accumulate(counts.begin(), counts.end(), 0), kThreads * kRounds);
}

}  // namespace
}  // namespace monotable::entities

#include "http/memory_budget.h"

#include <memory>
#include <utility>

#include <gtest/gtest.h>

namespace monotable::http {
namespace {

using Use = MemoryBudget::Use;
using Reservation = MemoryBudget::Reservation;

TEST(MemoryBudgetTest, EachUseFillsItFurther) {
  const auto budget = std::make_shared<MemoryBudget>(1000);
  Reservation body;
  Reservation work;
  Reservation small;
  EXPECT_TRUE(body.GrowTo(333, Use::kLargeBody, *budget));
  EXPECT_FALSE(body.GrowTo(334, Use::kLargeBody, *budget));
  EXPECT_FALSE(work.GrowTo(418, Use::kLargeWork, *budget));
  EXPECT_TRUE(work.GrowTo(417, Use::kLargeWork, *budget));
  EXPECT_FALSE(small.GrowTo(251, Use::kAny, *budget));
  EXPECT_TRUE(small.GrowTo(250, Use::kAny, *budget));
  EXPECT_EQ(budget->used(), 1000u);
}

TEST(MemoryBudgetTest, GivesBackWhatWasTaken) {
  const auto budget = std::make_shared<MemoryBudget>(1000);
  Reservation kept;
  {
    Reservation first;
    ASSERT_TRUE(first.GrowTo(100, Use::kAny, *budget));
    ASSERT_TRUE(first.GrowTo(50, Use::kAny, *budget)) << "it is larger already";
    EXPECT_EQ(budget->used(), 100u);
    Reservation second = std::move(first);
    EXPECT_EQ(second.bytes(), 100u);
    kept = std::move(second);
    EXPECT_EQ(budget->used(), 100u);
  }
  EXPECT_EQ(budget->used(), 100u);
  kept = {};
  EXPECT_EQ(budget->used(), 0u);
}

TEST(MemoryBudgetTest, AccountsForWhatIsTakenAnyway) {
  const auto budget = std::make_shared<MemoryBudget>(1000);
  Reservation answer;
  answer.GrowAnyway(5000, *budget);
  EXPECT_EQ(budget->used(), 5000u);
  Reservation other;
  EXPECT_FALSE(other.GrowTo(1, Use::kAny, *budget));
  answer = {};
  EXPECT_TRUE(other.GrowTo(1, Use::kAny, *budget));
}

}  // namespace
}  // namespace monotable::http

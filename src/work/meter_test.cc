#include "work/meter.h"

#include <gtest/gtest.h>

namespace monotable::work {
namespace {

TEST(MeterTest, AThreadWithoutAMeterWorksWithoutLimit) {
  EXPECT_TRUE(Charge(std::numeric_limits<int64_t>::max()));
  EXPECT_TRUE(Charge(1));
  EXPECT_TRUE(Charge(std::numeric_limits<int64_t>::max()));
  EXPECT_FALSE(Stopped());
}

TEST(MeterTest, StopsWhenTheUnitsAreUsedUp) {
  Meter meter(100);
  EXPECT_TRUE(Charge(60));
  EXPECT_TRUE(Charge(40));
  EXPECT_FALSE(Stopped());
  EXPECT_FALSE(Charge(1));
  EXPECT_FALSE(Charge(0)) << "once stopped, always stopped";
  EXPECT_TRUE(Stopped());
  EXPECT_TRUE(meter.stopped());
  EXPECT_EQ(meter.used(), 101);
}

TEST(MeterTest, AnInnerMeterLeavesTheOuterOneAsItWas) {
  Meter outer(10);
  EXPECT_TRUE(Charge(4));
  {
    Meter inner(2);
    EXPECT_FALSE(Charge(3));
    EXPECT_TRUE(Stopped());
  }
  EXPECT_FALSE(Stopped());
  EXPECT_EQ(outer.used(), 4);
  EXPECT_TRUE(Charge(6));
  EXPECT_FALSE(Charge(1));
}

class Thrice : public Meter {
 public:
  Thrice() : Meter(10) {}
  int asked = 0;

 private:
  size_t More() override { return ++asked <= 3 ? 10 : 0; }
};

TEST(MeterTest, AsksForMoreUntilTheWorkIsCovered) {
  Thrice meter;
  EXPECT_TRUE(Charge(25));
  EXPECT_EQ(meter.asked, 2);
  EXPECT_EQ(meter.used(), 25);
  EXPECT_TRUE(Charge(15));
  EXPECT_EQ(meter.asked, 3);
  EXPECT_FALSE(Charge(1));
}

}  // namespace
}  // namespace monotable::work

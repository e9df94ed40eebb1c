#include "engine/capacity.h"

#include <gtest/gtest.h>

namespace monotable::engine {
namespace {

TEST(CapacityTest, ReadsAreChargedByFourKilobytes) {
  EXPECT_EQ(ReadUnits(0, true), 1);
  EXPECT_EQ(ReadUnits(0, false), 0.5);
  EXPECT_EQ(ReadUnits(4096, true), 1);
  EXPECT_EQ(ReadUnits(4097, true), 2);
  EXPECT_EQ(ReadUnits(4097, false), 1);
  EXPECT_EQ(TransactionalReadUnits(1), 2);
}

TEST(CapacityTest, WritesAreChargedByOneKilobyte) {
  EXPECT_EQ(WriteUnits(0), 1);
  EXPECT_EQ(WriteUnits(1024), 1);
  EXPECT_EQ(WriteUnits(1025), 2);
  EXPECT_EQ(TransactionalWriteUnits(1025), 4);
}

}  // namespace
}  // namespace monotable::engine

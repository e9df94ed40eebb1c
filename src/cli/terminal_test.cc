#include "cli/terminal.h"

#include <gtest/gtest.h>

namespace monotable::cli {
namespace {

TEST(TextTableTest, ColumnsAreAsWideAsTheirWidestCell) {
  EXPECT_EQ(FormatTable({{"NAME"}, {"N", Align::kRight}, {"NOTE"}},
                        {{"a", "10", "x"}, {"naïve-name", "7", ""}, {"short"}}),
            "NAME         N  NOTE\n"
            "a           10  x\n"
            "naïve-name   7\n"
            "short\n");
  EXPECT_EQ(FormatTable({{"A"}}, {}), "A\n");
}

TEST(TextTableTest, BytesAndMomentsAreForPeople) {
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(1023), "1023 B");
  EXPECT_EQ(FormatBytes(1536), "1.5 KB");
  EXPECT_EQ(FormatBytes(uint64_t{3} << 30), "3.0 GB");
  EXPECT_EQ(FormatBytes(uint64_t{5} << 50), "5120.0 TB");
  EXPECT_EQ(FormatCount(1, "table"), "1 table");
  EXPECT_EQ(FormatCount(0, "table"), "0 tables");
  EXPECT_EQ(FormatMoment(1'769'783'400'250), "2026-01-30T14:30:00Z");
}

}  // namespace
}  // namespace monotable::cli

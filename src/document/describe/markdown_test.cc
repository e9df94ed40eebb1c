#include "document/describe/markdown.h"

#include <gtest/gtest.h>

namespace monotable::document {
namespace {

TEST(MarkdownTest, EscapesProse) {
  EXPECT_EQ(Prose("a *b* <c>\n[d]"), "a \\*b\\* \\<c\\> \\[d\\]");
  EXPECT_EQ(Prose("naïve – ok"), "naïve – ok");
}

TEST(MarkdownTest, FencesCode) {
  EXPECT_EQ(Code("SALE#{SaleId}"), "`SALE#{SaleId}`");
  EXPECT_EQ(Code("a`b"), "`` a`b ``");
  EXPECT_EQ(Code(""), "");
  EXPECT_EQ(CodeList({"a", "b"}), "`a`, `b`");
}

TEST(MarkdownTest, TablesKeepTheirShape) {
  MarkdownTable table({"A", "B"});
  EXPECT_TRUE(table.empty());
  table.Add({"x|y", "two\nlines"});
  table.Add({"short"});
  EXPECT_EQ(table.Text(), "| A | B |\n|---|---|\n| x\\|y | two lines |\n| short | |\n\n");
}

}  // namespace
}  // namespace monotable::document

#include "entities/codec/field_path.h"

#include <gtest/gtest.h>

namespace monotable::entities {
namespace {

TEST(FieldPath, IsAPointer) {
  const FieldPath root("");
  const FieldPath lines(root, "lines");
  const FieldPath line(lines, size_t{12});
  const FieldPath odd(line, "a/b~c");
  EXPECT_EQ(root.Pointer(), "");
  EXPECT_EQ(lines.Pointer(), "/lines");
  EXPECT_EQ(odd.Pointer(), "/lines/12/a~1b~0c");
  EXPECT_EQ(FieldPath(FieldPath("/sale"), "Status").Pointer(), "/sale/Status");
}

TEST(FieldPath, IsReadable) {
  const FieldPath root("");
  const FieldPath lines(root, "lines");
  const FieldPath line(lines, size_t{12});
  EXPECT_EQ(root.Readable(), "The body");
  EXPECT_EQ(FieldPath(line, "a/b~c").Readable(), "lines[12].a/b~c");
  EXPECT_EQ(FieldPath("Total").Readable(), "Total");
  EXPECT_EQ(FieldPath(root, "2026").Readable(), "2026");
}

}  // namespace
}  // namespace monotable::entities

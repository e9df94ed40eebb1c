#include "transfer/line_reader.h"

#include "transfer/file_fixture.h"

namespace monotable::transfer {
namespace {

// The lines of a text, "(too long)" for those that are.
std::vector<std::string> Lines(std::string_view text, size_t max_line_bytes = kMaxLineBytes) {
  auto source = OpenByteSource(OpenFileWith(text), operations::Compression::kNone);
  EXPECT_TRUE(source);
  LineReader reader(std::move(*source), max_line_bytes);
  std::vector<std::string> lines;
  for (;;) {
    const auto line = reader.Next();
    EXPECT_TRUE(line);
    if (!*line) break;
    lines.push_back((*line)->too_long ? "(too long)" : std::string((*line)->text));
  }
  EXPECT_EQ(reader.bytes_read(), static_cast<int64_t>(text.size()));
  return lines;
}

using Strings = std::vector<std::string>;

TEST(LineReaderTest, SplitsAtLineFeeds) {
  EXPECT_EQ(Lines(""), Strings());
  EXPECT_EQ(Lines("a"), Strings{"a"});
  EXPECT_EQ(Lines("a\n"), Strings{"a"});
  EXPECT_EQ(Lines("a\n\nb\r\nc"), (Strings{"a", "", "b\r", "c"}));
}

TEST(LineReaderTest, LeavesOutAByteOrderMark) {
  EXPECT_EQ(Lines("\xEF\xBB\xBFone\ntwo"), (Strings{"one", "two"}));
}

TEST(LineReaderTest, LinesMayBeLongerThanTheFirstBuffer) {
  const std::string longer(3'000'000, 'x');
  EXPECT_EQ(Lines("a\n" + longer + "\nb\n" + longer), (Strings{"a", longer, "b", longer}));
}

TEST(LineReaderTest, LinesThatAreTooLongArePassedOver) {
  EXPECT_EQ(Lines("12345\n123456\n1", 5), (Strings{"12345", "(too long)", "1"}));
  const std::string huge(2'000'000, 'x');
  EXPECT_EQ(Lines("a\n" + huge + "\nb", 1000), (Strings{"a", "(too long)", "b"}));
  EXPECT_EQ(Lines("a\n" + huge, 1000), (Strings{"a", "(too long)"}));
}

}  // namespace
}  // namespace monotable::transfer

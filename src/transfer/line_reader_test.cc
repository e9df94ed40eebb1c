#include "transfer/line_reader.h"

#include "transfer/file_fixture.h"

namespace monotable::transfer {
namespace {

using operations::Compression;

// Everything of a source, read in small pieces, or the words of its error.
std::string ReadAll(std::string_view stored, Compression compression) {
  auto source = OpenByteSource(OpenFileWith(stored), compression);
  EXPECT_TRUE(source);
  std::string text;
  char piece[7];
  for (;;) {
    const auto got = (*source)->Read(piece);
    if (!got) return got.error().message();
    if (*got == 0) return text;
    text.append(piece, *got);
  }
}

std::string LongText() {
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += "ação nº " + std::to_string(i * 7919) + "\n";
  return text;
}

TEST(ByteSourceTest, ReadsWhatIsNotCompressed) {
  EXPECT_EQ(ReadAll("", Compression::kNone), "");
  EXPECT_EQ(ReadAll("some text", Compression::kNone), "some text");
}

TEST(ByteSourceTest, DecompressesInPieces) {
  const std::string text = LongText();
  EXPECT_EQ(ReadAll(Gzip(text), Compression::kGzip), text);
  EXPECT_EQ(ReadAll(Zstd(text), Compression::kZstd), text);
  EXPECT_EQ(ReadAll(Gzip(""), Compression::kGzip), "");
  EXPECT_EQ(ReadAll(Zstd(""), Compression::kZstd), "");
}

TEST(ByteSourceTest, SeveralMembersAreOneText) {
  EXPECT_EQ(ReadAll(Gzip("one, ") + Gzip("") + Gzip("two"), Compression::kGzip), "one, two");
  EXPECT_EQ(ReadAll(Zstd("one, ") + Zstd("") + Zstd("two"), Compression::kZstd), "one, two");
}

TEST(ByteSourceTest, AnEmptyFileIsAnEmptyText) {
  EXPECT_EQ(ReadAll("", Compression::kGzip), "");
  EXPECT_EQ(ReadAll("", Compression::kZstd), "");
}

TEST(ByteSourceTest, WhatIsCutShortIsAnError) {
  const std::string gzip = Gzip(LongText());
  const std::string zstd = Zstd(LongText());
  for (const size_t cut : {size_t{1}, size_t{8}, size_t{1000}}) {
    EXPECT_EQ(ReadAll(std::string_view(gzip).substr(0, gzip.size() - cut), Compression::kGzip),
              "The gzip data is cut short");
    EXPECT_EQ(ReadAll(std::string_view(zstd).substr(0, zstd.size() - cut), Compression::kZstd),
              "The Zstandard data is cut short");
  }
}

TEST(ByteSourceTest, WhatIsDamagedIsAnError) {
  std::string gzip = Gzip(LongText());
  gzip[gzip.size() - 6] ^= 1;  // of the checksum
  EXPECT_EQ(ReadAll(gzip, Compression::kGzip), "The gzip data is damaged");
  EXPECT_EQ(ReadAll("plain text", Compression::kGzip), "The gzip data is damaged");
  EXPECT_EQ(ReadAll(Gzip("text") + "rest", Compression::kGzip), "The gzip data is damaged");
  EXPECT_EQ(ReadAll("plain text", Compression::kZstd), "The Zstandard data is damaged");
}

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

#include "transfer/item_reader.h"

#include "transfer/file_fixture.h"

namespace monotable::transfer {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// The rows of a text; one that is none is its problem alone, in brackets.
Rows ReadRows(std::string_view text, char delimiter = ',') {
  auto source = OpenByteSource(OpenFileWith(text), operations::Compression::kNone);
  EXPECT_TRUE(source);
  LineReader lines(std::move(*source));
  CsvReader reader(lines, delimiter);
  Rows rows;
  for (;;) {
    auto row = reader.Next();
    EXPECT_TRUE(row);
    if (!*row) return rows;
    if ((*row)->problem) (*row)->fields = {"[" + *(*row)->problem + "]"};
    rows.push_back(std::move((*row)->fields));
  }
}

constexpr const char* kStrayQuote =
    "[A double quote in a field is neither doubled nor around all of it]";

TEST(CsvReaderTest, SplitsFieldsAndLines) {
  EXPECT_EQ(ReadRows(""), Rows());
  EXPECT_EQ(ReadRows("a,b\nc,d"), (Rows{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(ReadRows("a,b\r\nc,d\r\n"), (Rows{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(ReadRows(",a,\n"), (Rows{{"", "a", ""}}));
  EXPECT_EQ(ReadRows("a;b|c\n", ';'), (Rows{{"a", "b|c"}}));
  EXPECT_EQ(ReadRows("a\tb c\n", '\t'), (Rows{{"a", "b c"}}));
}

TEST(CsvReaderTest, EmptyLinesAreNoRows) {
  EXPECT_EQ(ReadRows("\na\n\r\n\nb\n\n"), (Rows{{"a"}, {"b"}}));
}

TEST(CsvReaderTest, QuotedFieldsHoldAnything) {
  EXPECT_EQ(ReadRows("\"a,b\",\"\"\n"), (Rows{{"a,b", ""}}));
  EXPECT_EQ(ReadRows("\"two\nlines\",\"and\r\n\r\nmore\"\r\nx,y\n"),
            (Rows{{"two\nlines", "and\r\n\r\nmore"}, {"x", "y"}}));
}

// The example of the service's documentation.
TEST(CsvReaderTest, DoubledQuotesAreQuotesEverywhere) {
  EXPECT_EQ(ReadRows("\"\"\"123\"\"\",Women's Full \"\"Length\"\" Dress\n"),
            (Rows{{"\"123\"", "Women's Full \"Length\" Dress"}}));
}

TEST(CsvReaderTest, OtherQuotesAreProblems) {
  EXPECT_EQ(ReadRows("1,Full \"Length\" Dress\n2,b\n"), (Rows{{kStrayQuote}, {"2", "b"}}));
  EXPECT_EQ(ReadRows("\"a\"b,c\nd\n"), (Rows{{kStrayQuote}, {"d"}}));
  EXPECT_EQ(ReadRows("a\"\nb\n"), (Rows{{kStrayQuote}, {"b"}}));
  EXPECT_EQ(ReadRows("a,\"b\nc\n"), (Rows{{"[A quoted field has no end]"}}));
}

TEST(CsvReaderTest, RowsThatAreTooLongAreProblems) {
  const std::string line(1'500'000, 'x');
  const Rows rows = ReadRows("\"" + line + "\n" + line + "\n" + line + "\n" + line);
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows[0], (std::vector<std::string>{"[The row is longer than any item can be]"}));
}

}  // namespace
}  // namespace monotable::transfer

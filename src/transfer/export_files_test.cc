#include "transfer/export_files.h"

#include "transfer/file_fixture.h"
#include "transfer/line_reader.h"

namespace monotable::transfer {
namespace {

class DataFilesTest : public testing::Test {
 protected:
  std::vector<std::string> LinesOf(const DataFile& file) {
    auto opened = bucket_->Open(file.key);
    EXPECT_TRUE(opened) << file.key;
    auto source = OpenByteSource(std::move(*opened), operations::Compression::kGzip);
    LineReader reader(std::move(*source));
    std::vector<std::string> lines;
    while (auto line = *reader.Next()) lines.emplace_back(line->text);
    return lines;
  }

  storage::TemporaryFolder folder_;
  Result<Bucket> bucket_ = Bucket::Make(folder_.path(), "bucket");
};

TEST_F(DataFilesTest, AreOfBoundedSize) {
  DataFiles files(*bucket_, "x/data/id", 20);
  for (const char* line : {"123456789", "987654321", "abc", "d", "a line that is longer", "e"}) {
    ASSERT_TRUE(files.Add(line));
  }
  ASSERT_TRUE(files.Finish());
  ASSERT_EQ(files.files().size(), 4U);
  EXPECT_EQ(files.files()[0].key, "x/data/id-000000.json.gz");
  EXPECT_EQ(files.files()[0].item_count, 2);
  EXPECT_THAT(LinesOf(files.files()[0]), testing::ElementsAre("123456789", "987654321"));
  EXPECT_THAT(LinesOf(files.files()[1]), testing::ElementsAre("abc", "d"));
  EXPECT_THAT(LinesOf(files.files()[2]), testing::ElementsAre("a line that is longer"));
  EXPECT_THAT(LinesOf(files.files()[3]), testing::ElementsAre("e"));
}

TEST_F(DataFilesTest, KnowTheirChecksums) {
  DataFiles files(*bucket_, "data/id");
  for (int i = 0; i < 100'000; ++i) ASSERT_TRUE(files.Add("line " + std::to_string(i)));
  ASSERT_TRUE(files.Finish());
  const std::string path = folder_.path() + "/bucket/" + files.files()[0].key;
  EXPECT_EQ(files.files()[0].md5, Md5Of(ReadFile(path)));
  EXPECT_EQ(LinesOf(files.files()[0]).size(), 100'000U);
}

TEST_F(DataFilesTest, NothingIsOneEmptyFile) {
  DataFiles files(*bucket_, "data/id");
  ASSERT_TRUE(files.Finish());
  ASSERT_EQ(files.files().size(), 1U);
  EXPECT_EQ(LinesOf(files.files()[0]).size(), 0U);
}

TEST_F(DataFilesTest, TheSameAgainMakesTheSameFiles) {
  std::vector<std::string> sums;
  for (int round = 0; round < 2; ++round) {
    DataFiles files(*bucket_, "data/id", 50);
    for (int i = 0; i < 30; ++i) ASSERT_TRUE(files.Add("line " + std::to_string(i)));
    ASSERT_TRUE(files.Finish());
    std::string all;
    for (const DataFile& file : files.files()) all += file.key + file.md5;
    sums.push_back(all);
  }
  EXPECT_EQ(sums[0], sums[1]);
}

TEST(Md5Test, IsTheKnownOne) {
  EXPECT_EQ(Md5Of("abc").substr(0, 4), "\x90\x01\x50\x98");
}

}  // namespace
}  // namespace monotable::transfer

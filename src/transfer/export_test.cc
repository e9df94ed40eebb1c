#include "json/base64.h"
#include "transfer/export_files.h"
#include "transfer/transfer_fixture.h"

namespace monotable::transfer {
namespace {

using operations::ExportDescription;
using operations::ExportTableRequest;
using operations::ExportView;
using operations::TransferStatus;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kMinute = 60'000;

using ExportTest = TransferFixture;

TEST_F(ExportTest, WritesTheLayoutOfTheService) {
  CreateRecoverable("produtos");
  Put("produtos", With(Key("a", "1"), "nome", item::Value("pão de açúcar")));
  Put("produtos", With(Key("b", "2"), "preço", item::Value(item::Number::FromInt(7))));
  ExportTableRequest request = ExportOf("produtos");
  request.prefix = "diário/2026";
  const ExportDescription done = Export(request);
  ASSERT_EQ(done.status, TransferStatus::kCompleted) << done.failure->message;
  EXPECT_EQ(done.item_count, 2);
  EXPECT_GT(done.billed_bytes, 0);

  const std::string folder = "diário/2026/AWSDynamoDB/" + done.id + "/";
  EXPECT_EQ(done.manifest, folder + "manifest-summary.json");
  EXPECT_EQ(File("exports/" + folder + "_started"), "");
  EXPECT_THAT(
      DataLines("exports", folder + "data/"),
      ElementsAre(R"({"Item":{"PK":{"S":"a"},"SK":{"S":"1"},"nome":{"S":"pão de açúcar"}}})",
                  R"({"Item":{"PK":{"S":"b"},"SK":{"S":"2"},"preço":{"N":"7"}}})"));

  const std::string summary = File("exports/" + done.manifest);
  EXPECT_EQ(
      summary,
      R"({"version":"2020-06-30","exportArn":")" + done.arn +
          R"(","startTime":"2025-11-14T10:30:00.123Z","endTime":"2025-11-14T10:30:00.123Z")"
          R"(,"tableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/produtos","tableId":")" +
          Find("produtos")->uuid +
          R"(","exportTime":"2025-11-14T10:30:00.123Z","s3Bucket":"exports",)"
          R"("s3Prefix":"diário/2026","s3SseAlgorithm":"AES256","s3SseKmsKeyId":null,)"
          R"("manifestFilesS3Key":")" +
          folder + R"(manifest-files.json","billedSizeBytes":)" +
          std::to_string(done.billed_bytes) +
          R"(,"itemCount":2,"outputFormat":"DYNAMODB_JSON","exportType":"FULL_EXPORT"})");
  for (const std::string name : {"manifest-summary", "manifest-files"}) {
    std::string checksum;
    json::AppendBase64(Md5Of(File("exports/" + folder + name + ".json")), &checksum);
    EXPECT_EQ(File("exports/" + folder + name + ".checksum"), checksum);
  }
  const std::string key = folder + "data/" + done.id + "-000000.json.gz";
  std::string md5;
  json::AppendBase64(Md5Of(File("exports/" + key)), &md5);
  const std::string files = File("exports/" + folder + "manifest-files.json");
  EXPECT_THAT(files, HasSubstr(R"({"itemCount":2,"md5Checksum":")" + md5 + R"(","etag":")"));
  EXPECT_THAT(files, HasSubstr(R"(-1","dataFileS3Key":")" + key + "\"}\n"));
}

TEST_F(ExportTest, AnEmptyTableHasAnEmptyFile) {
  CreateRecoverable("empty");
  const ExportDescription done = Export(ExportOf("empty"));
  ASSERT_EQ(done.status, TransferStatus::kCompleted);
  EXPECT_EQ(done.item_count, 0);
  EXPECT_EQ(DataLines("exports", "AWSDynamoDB/" + done.id + "/data/").size(), 0U);
  EXPECT_THAT(File("exports/" + done.manifest), HasSubstr(R"("s3Prefix":null)"));
}

TEST_F(ExportTest, OfAnEarlierTime) {
  CreateRecoverable("past");
  Put("past", With(Key("a", "1"), "v", item::Value("old")));
  Put("past", With(Key("b", "1"), "v", item::Value("old")));
  const int64_t then = clock_.NowMs();
  Advance(5000);
  Put("past", With(Key("a", "1"), "v", item::Value("new")));
  Delete("past", Key("b", "1"));
  Put("past", Key("c", "1"));
  ExportTableRequest request = ExportOf("past");
  request.time_ms = then;
  const ExportDescription done = Export(request);
  ASSERT_EQ(done.status, TransferStatus::kCompleted) << done.failure->message;
  EXPECT_EQ(done.time_ms, then);
  EXPECT_THAT(DataLines("exports", ""),
              ElementsAre(R"({"Item":{"PK":{"S":"a"},"SK":{"S":"1"},"v":{"S":"old"}}})",
                          R"({"Item":{"PK":{"S":"b"},"SK":{"S":"1"},"v":{"S":"old"}}})"));
}

class IncrementalExportTest : public TransferFixture {
 protected:
  // Four items; then, from the time returned on: one changed, one deleted, one that came, one that
  // came and went, and one that was left alone.
  int64_t WriteHistory() {
    CreateRecoverable("past");
    for (const char* pk : {"changed", "deleted", "same"}) {
      Put("past", With(Key(pk, "1"), "v", item::Value("old")));
    }
    Advance(kMinute);
    const int64_t from = clock_.NowMs();
    Put("past", With(Key("changed", "1"), "v", item::Value("new")));
    Delete("past", Key("deleted", "1"));
    Put("past", Key("came", "1"));
    Put("past", Key("came and went", "1"));
    Advance(1);
    Delete("past", Key("came and went", "1"));
    Advance(20 * kMinute);
    return from;
  }

  ExportDescription ExportChanges(int64_t from, int64_t to, std::optional<ExportView> view) {
    ExportTableRequest request = ExportOf("past");
    request.type = operations::ExportType::kIncremental;
    request.incremental = {from, to, view};
    return Export(request);
  }

  static std::string Line(const std::string& pk, int64_t time_ms, const std::string& images) {
    return R"({"Metadata":{"WriteTimestampMicros":{"N":")" + std::to_string(time_ms) +
           R"(000"}},"Keys":{"PK":{"S":")" + pk + R"("},"SK":{"S":"1"}})" + images + "}";
  }
  static std::string Image(const std::string& name, const std::string& pk, const std::string& v) {
    return ",\"" + name + R"(":{"PK":{"S":")" + pk + R"("},"SK":{"S":"1"})" +
           (v.empty() ? "" : R"(,"v":{"S":")" + v + R"("})") + "}";
  }
};

TEST_F(IncrementalExportTest, HasWhatChangedWithBothImages) {
  const int64_t from = WriteHistory();
  const ExportDescription done = ExportChanges(from, from + 15 * kMinute, std::nullopt);
  ASSERT_EQ(done.status, TransferStatus::kCompleted) << done.failure->message;
  EXPECT_EQ(done.item_count, 3);
  EXPECT_THAT(
      DataLines("exports", "AWSDynamoDB/data/" + done.id),
      ElementsAre(Line("came", from, Image("NewImage", "came", "")),
                  Line("changed", from,
                       Image("NewImage", "changed", "new") + Image("OldImage", "changed", "old")),
                  Line("deleted", from, Image("OldImage", "deleted", "old"))));
  const std::string summary = File("exports/AWSDynamoDB/" + done.id + "/manifest-summary.json");
  EXPECT_THAT(summary, HasSubstr(R"("version":"2023-08-01")"));
  EXPECT_THAT(summary, HasSubstr(R"("exportFromTime":"2025-11-14T10:31:00.123Z",)"
                                 R"("exportToTime":"2025-11-14T10:46:00.123Z")"));
  EXPECT_THAT(summary, HasSubstr(R"("outputView":"NEW_AND_OLD_IMAGES")"
                                 R"(,"exportType":"INCREMENTAL_EXPORT"})"));
}

TEST_F(IncrementalExportTest, HasNewImagesAlone) {
  const int64_t from = WriteHistory();
  const ExportDescription done = ExportChanges(from, from + 15 * kMinute, ExportView::kNewImage);
  EXPECT_THAT(DataLines("exports", "AWSDynamoDB/data/" + done.id),
              ElementsAre(Line("came", from, Image("NewImage", "came", "")),
                          Line("changed", from, Image("NewImage", "changed", "new")),
                          Line("deleted", from, "")));
}

// The window has its beginning, and not its end.
TEST_F(IncrementalExportTest, BeginsWithItsFirstMoment) {
  const int64_t from = WriteHistory();
  EXPECT_EQ(ExportChanges(from, from + 15 * kMinute, std::nullopt).item_count, 3);
  EXPECT_EQ(ExportChanges(from + 2, from + 15 * kMinute + 2, std::nullopt).item_count, 0);
  Put("past", Key("at the end", "1"));
  const int64_t end = clock_.NowMs();
  EXPECT_EQ(ExportChanges(end - 15 * kMinute, end, std::nullopt).item_count, 0);
  Advance(1);
  EXPECT_EQ(ExportChanges(end - 15 * kMinute, end + 1, std::nullopt).item_count, 1);
}

TEST_F(ExportTest, FailsWhenItsFolderCannotBeMade) {
  CreateRecoverable("orders");
  WriteFile(root(), "a file in its place");
  const ExportDescription done = Export(ExportOf("orders"));
  EXPECT_EQ(done.status, TransferStatus::kFailed);
  EXPECT_EQ(done.failure->code, "InternalServerError");
  EXPECT_GT(done.ended_at_ms, 0);
}

// What a process left unfinished, the next one does again.
TEST_F(ExportTest, IsDoneAgainByTheNextProcess) {
  CreateRecoverable("again");
  Put("again", Key("a", "1"));
  engine().jobs().Stop();
  const auto begun = operations::ExportTableToPointInTime(engine(), ExportOf("again"));
  ASSERT_TRUE(begun);
  EXPECT_EQ(operations::DescribeExport(engine(), begun->arn)->status, TransferStatus::kInProgress);
  // What it may have written by then.
  PutFile("exports/AWSDynamoDB/" + begun->id + "/data/." + begun->id + "-000000.json.gz.partial",
          "half");

  StartNextProcess();
  const auto done = operations::DescribeExport(engine(), begun->arn);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->status, TransferStatus::kCompleted);
  EXPECT_EQ(DataLines("exports", "").size(), 1U);
}

TEST_F(ExportTest, FailsWhenTheTableIsGone) {
  CreateRecoverable("gone");
  engine().jobs().Stop();
  const auto begun = operations::ExportTableToPointInTime(engine(), ExportOf("gone"));
  ASSERT_TRUE(begun);
  ASSERT_TRUE(operations::DeleteTable(engine(), "gone"));
  StartNextProcess();
  const auto done = operations::DescribeExport(engine(), begun->arn);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->status, TransferStatus::kFailed);
  EXPECT_EQ(done->failure->code, "TableNotFound");
}

}  // namespace
}  // namespace monotable::transfer

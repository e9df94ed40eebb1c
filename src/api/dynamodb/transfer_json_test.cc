#include "api/dynamodb/codecs.h"
#include "api/dynamodb/codecs_for_tests.h"

namespace monotable::api::dynamodb {
namespace {

TEST(TransferJsonTest, DecodesExports) {
  const auto request = Decode<DecodeExportTable>(
      InputOf("ExportTableToPointInTime"),
      R"({"TableArn":"arn","S3Bucket":"b","S3Prefix":"p","S3BucketOwner":"123456789012",
      "S3SseAlgorithm":"KMS","S3SseKmsKeyId":"k","ClientToken":"t","ExportTime":1700000000.25,
      "ExportFormat":"ION","ExportType":"INCREMENTAL_EXPORT","IncrementalExportSpecification":
      {"ExportFromTime":1,"ExportToTime":2.5,"ExportViewType":"NEW_IMAGE"}})");
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_EQ(request->time_ms, 1'700'000'000'250);
  EXPECT_EQ(request->format, operations::FileFormat::kIon);
  EXPECT_EQ(request->type, operations::ExportType::kIncremental);
  EXPECT_EQ(request->incremental->from_ms, 1000);
  EXPECT_EQ(request->incremental->to_ms, 2500);
  EXPECT_EQ(request->incremental->view, operations::ExportView::kNewImage);
  EXPECT_EQ(request->sse_kms_key_id, "k");
}

TEST(TransferJsonTest, RequestsAreCheckedAgainstTheModel) {
  EXPECT_EQ(Decode<DecodeExportTable>(InputOf("ExportTableToPointInTime"), "{}").error().message(),
            "2 validation errors detected: Value null at 'tableArn' failed to satisfy constraint: "
            "Member must not be null; Value null at 's3Bucket' failed to satisfy constraint: "
            "Member must not be null");
  EXPECT_EQ(
      Decode<DecodeListExports>(InputOf("ListExports"), R"({"MaxResults":26})").error().message(),
      "1 validation error detected: Value '26' at 'maxResults' failed to satisfy constraint: "
      "Member must have value less than or equal to 25");
  EXPECT_FALSE(Decode<DecodeImportTable>(InputOf("ImportTable"), R"({"InputFormat":"XML"})"));
}

TEST(TransferJsonTest, DecodesImports) {
  const auto request = Decode<DecodeImportTable>(
      InputOf("ImportTable"),
      R"({"S3BucketSource":{"S3Bucket":"b","S3KeyPrefix":"p"},"InputFormat":"CSV",
      "InputFormatOptions":{"Csv":{"Delimiter":";","HeaderList":["a","b"]}},
      "InputCompressionType":"ZSTD","TableCreationParameters":{"TableName":"orders",
      "AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],
      "KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}})");
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_EQ(request->source.prefix, "p");
  EXPECT_EQ(request->csv->header->at(1), "b");
  EXPECT_EQ(request->compression, operations::Compression::kZstd);
  EXPECT_EQ(request->table.table_name, "orders");
}

TEST(TransferJsonTest, EncodesExports) {
  operations::ExportDescription transfer;
  transfer.arn = "arn/export/1";
  transfer.table_arn = "arn";
  transfer.table_uuid = "u";
  transfer.bucket = "b";
  transfer.started_at_ms = 1500;
  transfer.time_ms = 1000;
  std::string running;
  EncodeExport(transfer, &running);
  EXPECT_EQ(running,
            R"({"ExportDescription":{"ExportArn":"arn/export/1","ExportStatus":"IN_PROGRESS",)"
            R"("StartTime":1.500,"ExportTime":1.000,"TableArn":"arn","TableId":"u",)"
            R"("S3Bucket":"b","S3SseAlgorithm":"AES256","ExportFormat":"DYNAMODB_JSON",)"
            R"("ExportType":"FULL_EXPORT"}})");
  operations::ListExportsResponse list{{transfer}, "next"};
  std::string listed;
  EncodeListExports(list, &listed);
  EXPECT_EQ(listed,
            R"({"ExportSummaries":[{"ExportArn":"arn/export/1","ExportStatus":"IN_PROGRESS",)"
            R"("ExportType":"FULL_EXPORT"}],"NextToken":"next"})");
}

TEST(TransferJsonTest, EncodesImports) {
  operations::ImportDescription transfer;
  transfer.arn = "arn/import/1";
  transfer.table_arn = "arn";
  transfer.table.uuid = "u";
  transfer.table.name = "orders";
  transfer.table.billing_mode = table::BillingMode::kPayPerRequest;
  transfer.table.attributes = {{"a", item::Type::kString}};
  transfer.table.key.hash = transfer.table.attributes;
  transfer.source.bucket = "b";
  transfer.status = operations::TransferStatus::kFailed;
  transfer.failure = {"S3NoSuchBucket", "none"};
  transfer.ended_at_ms = 2000;
  std::string text;
  EncodeImport(transfer, &text);
  EXPECT_EQ(text,
            R"({"ImportTableDescription":{"ImportArn":"arn/import/1","ImportStatus":"FAILED",)"
            R"("TableArn":"arn","TableId":"u","S3BucketSource":{"S3Bucket":"b"},"ErrorCount":0,)"
            R"("InputFormat":"DYNAMODB_JSON","InputCompressionType":"NONE",)"
            R"("TableCreationParameters":{"TableName":"orders","AttributeDefinitions":[)"
            R"({"AttributeName":"a","AttributeType":"S"}],"KeySchema":[{"AttributeName":"a",)"
            R"("KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"},"StartTime":0.000,)"
            R"("EndTime":2.000,"ProcessedSizeBytes":0,"ProcessedItemCount":0,)"
            R"("ImportedItemCount":0,"FailureCode":"S3NoSuchBucket","FailureMessage":"none"}})");
}

}  // namespace
}  // namespace monotable::api::dynamodb

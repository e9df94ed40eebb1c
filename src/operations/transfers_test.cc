#include "operations/transfers.h"

#include <gmock/gmock.h>

#include "engine/jobs.h"
#include "operations/tables_fixture.h"
#include "operations/transfer_record.h"

namespace monotable::operations {
namespace {

using testing::HasSubstr;

constexpr int64_t kHour = 3'600'000;

// No work is set, so that everything stays in progress.
class TransferOperationsTest : public TablesFixture {
 protected:
  void EnableRecovery(const std::string& name, int64_t days = 35) {
    const auto decide = [days](const table::TableDefinition* current,
                               uint32_t) -> engine::Catalog::Decision {
      table::TableDefinition next = *current;
      next.point_in_time_recovery.enabled = true;
      next.point_in_time_recovery.days = days;
      return std::optional(std::move(next));
    };
    ASSERT_TRUE(engine().catalog().Change(name, decide));
  }

  void CreateRecoverable(const std::string& name) {
    Create(Table(name));
    EnableRecovery(name);
  }

  ExportTableRequest ExportOf(const std::string& name) {
    ExportTableRequest request;
    request.table_arn = engine().TableArn(name);
    request.bucket = "bucket";
    return request;
  }

  ExportTableRequest ChangesOf(const std::string& name, int64_t from_ms, int64_t to_ms) {
    ExportTableRequest request = ExportOf(name);
    request.type = ExportType::kIncremental;
    request.incremental = {from_ms, to_ms, std::nullopt};
    return request;
  }

  static ImportTableRequest ImportInto(const std::string& name) {
    ImportTableRequest request;
    request.source.bucket = "bucket";
    request.table = Table(name);
    return request;
  }
};

TEST_F(TransferOperationsTest, AnExportIsDescribed) {
  CreateRecoverable("orders");
  ExportTableRequest request = ExportOf("orders");
  request.prefix = "a/b";
  request.bucket_owner = "123456789012";
  request.sse_algorithm = "KMS";
  request.sse_kms_key_id = "key";
  request.client_token = "token";
  const auto begun = ExportTableToPointInTime(engine(), request);
  ASSERT_TRUE(begun) << begun.error().message();
  EXPECT_THAT(begun->arn, testing::StartsWith(engine().TableArn("orders") + "/export/0176"));
  const auto described = DescribeExport(engine(), begun->arn);
  ASSERT_TRUE(described);
  EXPECT_EQ(described->status, TransferStatus::kInProgress);
  EXPECT_EQ(described->table_arn, engine().TableArn("orders"));
  EXPECT_EQ(described->table_uuid, Find("orders")->uuid);
  EXPECT_EQ(described->table_id, Find("orders")->id);
  EXPECT_EQ(described->prefix, "a/b");
  EXPECT_EQ(described->bucket_owner, "123456789012");
  EXPECT_EQ(described->sse_algorithm, "KMS");
  EXPECT_EQ(described->sse_kms_key_id, "key");
  EXPECT_EQ(described->time_ms, clock_.NowMs());
  EXPECT_EQ(described->started_at_ms, clock_.NowMs());
  EXPECT_EQ(described->ended_at_ms, 0);
}

TEST_F(TransferOperationsTest, AnExportNeedsRecovery) {
  EXPECT_EQ(
      Refusal(ExportTableToPointInTime(engine(), ExportOf("none")), ErrorCode::kTableNotFound),
      "Table not found: none");
  Create(Table("plain"));
  EXPECT_EQ(Refusal(ExportTableToPointInTime(engine(), ExportOf("plain")),
                    ErrorCode::kPointInTimeRecoveryUnavailable),
            "Point in time recovery is not enabled for table 'plain'");
}

TEST_F(TransferOperationsTest, AnExportIsOfATimeThatIsKept) {
  CreateRecoverable("orders");
  const int64_t enabled = clock_.NowMs();
  clock_.now_ms += kHour;
  const auto at = [&](int64_t time_ms) {
    ExportTableRequest request = ExportOf("orders");
    request.time_ms = time_ms;
    return ExportTableToPointInTime(engine(), request);
  };
  const std::string outside =
      "The specified ExportTime is outside of the point in time recovery window.";
  EXPECT_TRUE(at(enabled));
  EXPECT_TRUE(at(clock_.NowMs()));
  EXPECT_EQ(Refusal(at(enabled - 1), ErrorCode::kInvalidExportTime), outside);
  EXPECT_EQ(Refusal(at(clock_.NowMs() + 1), ErrorCode::kInvalidExportTime), outside);
  EnableRecovery("orders", 2);
  clock_.now_ms += 72 * kHour;
  EXPECT_TRUE(at(clock_.NowMs() - 48 * kHour));
  EXPECT_EQ(Refusal(at(clock_.NowMs() - 48 * kHour - 1), ErrorCode::kInvalidExportTime), outside);
}

TEST_F(TransferOperationsTest, AnIncrementalExportHasAWindow) {
  CreateRecoverable("orders");
  clock_.now_ms += 48 * kHour;
  const int64_t now = clock_.NowMs();
  const auto window = [&](int64_t from_ms, int64_t to_ms) {
    return ExportTableToPointInTime(engine(), ChangesOf("orders", from_ms, to_ms));
  };
  EXPECT_TRUE(window(now - kHour / 4, now));
  EXPECT_TRUE(window(now - 24 * kHour, now));
  const std::string wrong =
      "ExportToTime must be at least 15 minutes and at most 24 hours after ExportFromTime";
  EXPECT_EQ(Invalid(window(now - kHour / 4 + 1, now)), wrong);
  EXPECT_EQ(Invalid(window(now - 24 * kHour - 1, now)), wrong);
  EXPECT_EQ(Invalid(window(now, now - kHour)), wrong);
  Refusal(window(now, now + kHour), ErrorCode::kInvalidExportTime);
  Refusal(window(now - 50 * kHour, now - 40 * kHour), ErrorCode::kInvalidExportTime);

  ExportTableRequest open = ChangesOf("orders", now - kHour, 0);
  open.incremental->to_ms.reset();
  const auto until_now = ExportTableToPointInTime(engine(), open);
  ASSERT_TRUE(until_now);
  EXPECT_EQ(until_now->to_ms, now);
  EXPECT_EQ(until_now->view, ExportView::kNewAndOldImages);

  ExportTableRequest without = ExportOf("orders");
  without.type = ExportType::kIncremental;
  EXPECT_THAT(Invalid(ExportTableToPointInTime(engine(), without)), HasSubstr("ExportFromTime"));
  ExportTableRequest mixed = ChangesOf("orders", now - kHour, now);
  mixed.type = ExportType::kFull;
  EXPECT_THAT(Invalid(ExportTableToPointInTime(engine(), mixed)), HasSubstr("ExportType"));
}

TEST_F(TransferOperationsTest, ExportParametersAreChecked) {
  CreateRecoverable("orders");
  const auto refused = [&](auto change) {
    ExportTableRequest request = ExportOf("orders");
    change(&request);
    return Refusal(ExportTableToPointInTime(engine(), request));
  };
  EXPECT_EQ(refused([](auto* r) { r->bucket = "../etc"; }),
            "1 validation error detected: Value '../etc' at 's3Bucket' failed to satisfy "
            "constraint: Member must satisfy regular expression pattern: "
            "^[a-z0-9A-Z]+[\\.\\-\\w]*[a-z0-9A-Z]+$");
  for (const char* prefix : {"../x", "a/../b", "/etc", "a//b", "."}) {
    EXPECT_THAT(refused([&](auto* r) { r->prefix = prefix; }), HasSubstr("S3Prefix"));
  }
  EXPECT_THAT(refused([](auto* r) { r->bucket_owner = "12"; }), HasSubstr("s3BucketOwner"));
  EXPECT_THAT(refused([](auto* r) { r->client_token = "a$b"; }), HasSubstr("clientToken"));
  EXPECT_THAT(refused([](auto* r) { r->sse_kms_key_id = "key"; }), HasSubstr("S3SseAlgorithm"));
  EXPECT_EQ(refused([](auto* r) { r->format = FileFormat::kIon; }),
            "One or more parameter values were invalid: ExportFormat ION is not supported by this "
            "server");
}

TEST_F(TransferOperationsTest, ATokenNamesOneExport) {
  CreateRecoverable("orders");
  ExportTableRequest request = ExportOf("orders");
  request.client_token = "token";
  const auto first = ExportTableToPointInTime(engine(), request);
  clock_.now_ms += 1000;
  EXPECT_EQ(ExportTableToPointInTime(engine(), request)->arn, first->arn);
  request.prefix = "other";
  EXPECT_THAT(Refusal(ExportTableToPointInTime(engine(), request), ErrorCode::kExportConflict),
              HasSubstr("client token"));
  clock_.now_ms += 8 * kHour;
  EXPECT_NE(ExportTableToPointInTime(engine(), request)->arn, first->arn);
}

TEST_F(TransferOperationsTest, ExportsAreListedInPages) {
  CreateRecoverable("one");
  CreateRecoverable("two");
  std::vector<std::string> arns;  // newest first
  for (int i = 0; i < 7; ++i) {
    clock_.now_ms += 10;
    const auto begun = ExportTableToPointInTime(engine(), ExportOf(i == 3 ? "two" : "one"));
    ASSERT_TRUE(begun);
    arns.insert(arns.begin(), begun->arn);
  }
  std::vector<std::string> listed;
  ListTransfersRequest request;
  request.limit = 3;
  for (;;) {
    const auto page = ListExports(engine(), request);
    ASSERT_TRUE(page);
    EXPECT_LE(page->exports.size(), 3U);
    for (const auto& transfer : page->exports) listed.push_back(transfer.arn);
    if (!page->next_token) break;
    EXPECT_EQ(page->next_token->size(), 112U);
    request.next_token = page->next_token;
  }
  EXPECT_EQ(listed, arns);

  ListTransfersRequest of_two;
  of_two.table_arn = engine().TableArn("two");
  EXPECT_EQ(ListExports(engine(), of_two)->exports.size(), 1U);
  ListTransfersRequest wrong;
  wrong.next_token = "nonsense";
  EXPECT_EQ(Refusal(ListExports(engine(), wrong)), "NextToken is invalid");
  clock_.now_ms += 91LL * 24 * kHour;
  EXPECT_EQ(ListExports(engine(), {})->exports.size(), 0U);
}

TEST_F(TransferOperationsTest, UnknownTransfersAreNotFound) {
  CreateRecoverable("orders");
  const auto begun = ExportTableToPointInTime(engine(), ExportOf("orders"));
  const std::string other = engine().TableArn("other") + "/export/" + begun->id;
  EXPECT_EQ(Refusal(DescribeExport(engine(), other), ErrorCode::kExportNotFound),
            "Export not found: " + other);
  Refusal(DescribeExport(engine(), "nonsense"), ErrorCode::kExportNotFound);
  Refusal(DescribeImport(engine(), begun->arn), ErrorCode::kImportNotFound);
}

TEST_F(TransferOperationsTest, AnImportIsDescribedAndItsTableIsBeingCreated) {
  ImportTableRequest request = ImportInto("new");
  request.source = {"bucket", "123456789012", "prefix"};
  request.format = FileFormat::kCsv;
  request.csv = CsvOptions{";", {{"PK", "SK"}}};
  request.compression = Compression::kZstd;
  const auto begun = ImportTable(engine(), request);
  ASSERT_TRUE(begun) << begun.error().message();
  const auto described = DescribeImport(engine(), begun->arn);
  ASSERT_TRUE(described);
  EXPECT_EQ(described->status, TransferStatus::kInProgress);
  EXPECT_EQ(described->source.prefix, "prefix");
  EXPECT_EQ(described->source.owner, "123456789012");
  EXPECT_EQ(described->format, FileFormat::kCsv);
  EXPECT_EQ(described->csv->delimiter, ";");
  EXPECT_EQ(described->csv->header->size(), 2U);
  EXPECT_EQ(described->compression, Compression::kZstd);
  EXPECT_EQ(described->table, *Find("new"));

  EXPECT_EQ(DescribeTable(engine(), "new")->status, "CREATING");
  EXPECT_EQ(Refusal(engine().FindTable("new"), ErrorCode::kResourceNotFound),
            "Requested resource not found");
  Refusal(DeleteTable(engine(), "new"), ErrorCode::kResourceInUse);
  EXPECT_EQ(Refusal(ImportTable(engine(), ImportInto("new")), ErrorCode::kResourceInUse),
            "Table already exists: new");
  EXPECT_EQ(ListImports(engine(), {})->imports.size(), 1U);
}

TEST_F(TransferOperationsTest, ImportParametersAreChecked) {
  const auto refused = [&](auto change) {
    ImportTableRequest request = ImportInto("new");
    change(&request);
    return Refusal(ImportTable(engine(), request));
  };
  EXPECT_THAT(refused([](auto* r) { r->source.bucket = ".."; }),
              HasSubstr("s3BucketSource.s3Bucket"));
  EXPECT_THAT(refused([](auto* r) { r->source.prefix = "../x"; }), HasSubstr("S3KeyPrefix"));
  EXPECT_THAT(refused([](auto* r) { r->format = FileFormat::kIon; }), HasSubstr("InputFormat ION"));
  EXPECT_THAT(refused([](auto* r) { r->csv = CsvOptions(); }), HasSubstr("not CSV"));
  const auto csv = [&](CsvOptions options) {
    return refused([&](auto* r) {
      r->format = FileFormat::kCsv;
      r->csv = std::move(options);
    });
  };
  EXPECT_THAT(csv({"%", std::nullopt}), HasSubstr("inputFormatOptions.csv.delimiter"));
  EXPECT_THAT(csv({std::nullopt, {{"a,b"}}}), HasSubstr("inputFormatOptions.csv.headerList"));
  EXPECT_THAT(csv({std::nullopt, {{"a", "a"}}}), HasSubstr("twice"));
  // The table is checked as CreateTable checks it.
  EXPECT_EQ(refused([](auto* r) { r->table.attribute_definitions = {{S("PK")}}; }),
            "Invalid KeySchema: Some index key attribute have no definition");
  EXPECT_EQ(Find("new"), nullptr);
}

TEST_F(TransferOperationsTest, ATokenNamesOneImport) {
  ImportTableRequest request = ImportInto("new");
  request.client_token = "token";
  const auto first = ImportTable(engine(), request);
  ASSERT_TRUE(first);
  clock_.now_ms += 1000;
  const auto again = ImportTable(engine(), request);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->arn, first->arn);
  request.table.table_name = "other";
  Refusal(ImportTable(engine(), request), ErrorCode::kImportConflict);
}

TEST_F(TransferOperationsTest, RecordsKeepWhatCameOfATransfer) {
  ExportDescription transfer;
  transfer.id = "id";
  transfer.arn = "arn";
  transfer.status = TransferStatus::kFailed;
  transfer.failure = {"Code", "message"};
  transfer.item_count = 5;
  const auto read = ToExport(ToJob(transfer));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->status, TransferStatus::kFailed);
  EXPECT_EQ(read->failure->code, "Code");
  EXPECT_EQ(read->failure->message, "message");
  EXPECT_EQ(read->item_count, 5);
  // A job that failed by itself.
  engine::Job job = ToJob(transfer);
  job.record.Remove("failure_code");
  job.state = engine::JobState::kFailed;
  EXPECT_EQ(ToExport(job)->failure->code, "InternalServerError");
  EXPECT_FALSE(ToExport(engine::Job()));
  EXPECT_FALSE(ToImport(engine::Job()));
}

}  // namespace
}  // namespace monotable::operations

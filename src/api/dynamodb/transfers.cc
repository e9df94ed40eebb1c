#include "operations/transfers.h"

#include <span>
#include <string>
#include <string_view>

#include "api/dynamodb/codecs.h"
#include "api/dynamodb/operation.h"
#include "api/dynamodb/table_parameters.h"
#include "table/definition.h"
#include "wire/table_json.h"

namespace monotable::api::dynamodb {
namespace shapes {
namespace {

// What a bucket, a token and a delimiter may look like is a rule of the operations.
constexpr Shape kTransferArn = Bounded(Kind::kString, 37, 1024);
constexpr Shape kBucket = Bounded(Kind::kString, 0, 255);
constexpr Shape kPrefix = Bounded(Kind::kString, 0, 1024);
constexpr Shape kKmsKeyId = Bounded(Kind::kString, 1, 2048);
constexpr Shape kPageSize = Bounded(Kind::kInteger, 1, 25);

constexpr std::string_view kSseAlgorithmNames[] = {"AES256", "KMS"};
constexpr std::string_view kExportFormatNames[] = {"DYNAMODB_JSON", "ION"};
constexpr std::string_view kExportTypeNames[] = {"FULL_EXPORT", "INCREMENTAL_EXPORT"};
constexpr std::string_view kExportViewNames[] = {"NEW_IMAGE", "NEW_AND_OLD_IMAGES"};
constexpr std::string_view kInputFormatNames[] = {"DYNAMODB_JSON", "ION", "CSV"};
constexpr std::string_view kCompressionNames[] = {"GZIP", "ZSTD", "NONE"};
constexpr Shape kSseAlgorithm = Enumeration(kSseAlgorithmNames);
constexpr Shape kExportFormat = Enumeration(kExportFormatNames);
constexpr Shape kExportType = Enumeration(kExportTypeNames);
constexpr Shape kExportView = Enumeration(kExportViewNames);
constexpr Shape kInputFormat = Enumeration(kInputFormatNames);
constexpr Shape kCompression = Enumeration(kCompressionNames);

constexpr Member kIncrementalMembers[] = {
    {"ExportFromTime", &kTime},
    {"ExportToTime", &kTime},
    {"ExportViewType", &kExportView},
};
constexpr Shape kIncremental = Structure("IncrementalExportSpecification", kIncrementalMembers);

constexpr Member kExportTableMembers[] = {
    {"TableArn", &kTableArn, true},
    {"ExportTime", &kTime},
    {"ClientToken", &kText},
    {"S3Bucket", &kBucket, true},
    {"S3BucketOwner", &kText},
    {"S3Prefix", &kPrefix},
    {"S3SseAlgorithm", &kSseAlgorithm},
    {"S3SseKmsKeyId", &kKmsKeyId},
    {"ExportFormat", &kExportFormat},
    {"ExportType", &kExportType},
    {"IncrementalExportSpecification", &kIncremental},
};

constexpr Member kDescribeExportMembers[] = {{"ExportArn", &kTransferArn, true}};
constexpr Member kListExportsMembers[] = {
    {"TableArn", &kTableArn},
    {"MaxResults", &kPageSize},
    {"NextToken", &kText},
};

constexpr Member kBucketSourceMembers[] = {
    {"S3BucketOwner", &kText},
    {"S3Bucket", &kBucket, true},
    {"S3KeyPrefix", &kPrefix},
};
constexpr Shape kBucketSource = Structure("S3BucketSource", kBucketSourceMembers);

constexpr Shape kHeaderName = Bounded(Kind::kString, 1, 65536);
constexpr Shape kHeaderList = ListOf(&kHeaderName, 1, 255);
constexpr Shape kDelimiter = Bounded(Kind::kString, 1, 1);
constexpr Member kCsvMembers[] = {
    {"Delimiter", &kDelimiter},
    {"HeaderList", &kHeaderList},
};
constexpr Shape kCsv = Structure("CsvOptions", kCsvMembers);
constexpr Member kFormatOptionsMembers[] = {{"Csv", &kCsv}};
constexpr Shape kFormatOptions = Structure("InputFormatOptions", kFormatOptionsMembers);

// CreateTable as a part of ImportTable.
constexpr Member kTableCreationMembers[] = {
    {"TableName", &kNewTableName, true},
    {"AttributeDefinitions", &kAttributeDefinitions, true},
    {"KeySchema", &kKeySchema, true},
    {"BillingMode", &kBillingMode},
    {"ProvisionedThroughput", &kThroughput},
    {"OnDemandThroughput", &kOnDemand},
    {"WarmThroughput", &kWarm},
    {"SSESpecification", &kSse},
    {"GlobalSecondaryIndexes", &kGlobalIndexes},
};
constexpr Shape kTableCreationParameters =
    Structure("TableCreationParameters", kTableCreationMembers);

constexpr Member kImportTableMembers[] = {
    {"ClientToken", &kText},
    {"S3BucketSource", &kBucketSource, true},
    {"InputFormat", &kInputFormat, true},
    {"InputFormatOptions", &kFormatOptions},
    {"InputCompressionType", &kCompression},
    {"TableCreationParameters", &kTableCreationParameters, true},
};

constexpr Member kDescribeImportMembers[] = {{"ImportArn", &kTransferArn, true}};
constexpr Member kListImportsMembers[] = {
    {"TableArn", &kTableArn},
    {"PageSize", &kPageSize},
    {"NextToken", &kText},
};

constexpr Shape kExportTable = Structure("ExportTableToPointInTimeInput", kExportTableMembers);
constexpr Shape kDescribeExport = Structure("DescribeExportInput", kDescribeExportMembers);
constexpr Shape kListExports = Structure("ListExportsInput", kListExportsMembers);
constexpr Shape kImportTable = Structure("ImportTableInput", kImportTableMembers);
constexpr Shape kDescribeImport = Structure("DescribeImportInput", kDescribeImportMembers);
constexpr Shape kListImports = Structure("ListImportsInput", kListImportsMembers);

}  // namespace
}  // namespace shapes

namespace {

using operations::Compression;
using operations::ExportType;
using operations::ExportView;
using operations::FileFormat;

constexpr EnumName<FileFormat> kFormats[] = {{"DYNAMODB_JSON", FileFormat::kDynamoDbJson},
                                             {"ION", FileFormat::kIon},
                                             {"CSV", FileFormat::kCsv}};
constexpr EnumName<ExportType> kExportTypes[] = {{"FULL_EXPORT", ExportType::kFull},
                                                 {"INCREMENTAL_EXPORT", ExportType::kIncremental}};
constexpr EnumName<ExportView> kExportViews[] = {
    {"NEW_IMAGE", ExportView::kNewImage}, {"NEW_AND_OLD_IMAGES", ExportView::kNewAndOldImages}};
constexpr EnumName<Compression> kCompressions[] = {
    {"NONE", Compression::kNone}, {"GZIP", Compression::kGzip}, {"ZSTD", Compression::kZstd}};

operations::ListTransfersRequest DecodeListRequest(const Fields& fields, std::string_view limit) {
  return {fields.OptionalText("TableArn"), fields.OptionalInteger(limit),
          fields.OptionalText("NextToken")};
}

operations::CsvOptions DecodeCsv(const Fields& fields) {
  return {fields.OptionalText("Delimiter"), fields.OptionalTexts("HeaderList")};
}

}  // namespace

Result<operations::ExportTableRequest> DecodeExportTable(const json::Object& body) {
  const Fields fields(body);
  operations::ExportTableRequest request;
  request.table_arn = fields.Text("TableArn");
  request.time_ms = fields.OptionalTimeMs("ExportTime");
  request.client_token = fields.OptionalText("ClientToken");
  request.bucket = fields.Text("S3Bucket");
  request.bucket_owner = fields.OptionalText("S3BucketOwner");
  request.prefix = fields.OptionalText("S3Prefix");
  request.sse_algorithm = fields.OptionalText("S3SseAlgorithm");
  request.sse_kms_key_id = fields.OptionalText("S3SseKmsKeyId");
  request.format = fields.OptionalEnum("ExportFormat", kFormats).value_or(request.format);
  request.type = fields.OptionalEnum("ExportType", kExportTypes).value_or(request.type);
  if (const auto element = fields.Find("IncrementalExportSpecification")) {
    const Fields incremental(*element);
    request.incremental = {incremental.OptionalTimeMs("ExportFromTime"),
                           incremental.OptionalTimeMs("ExportToTime"),
                           incremental.OptionalEnum("ExportViewType", kExportViews)};
  }
  return request;
}

Result<std::string> DecodeExportArn(const json::Object& body) {
  return Fields(body).Text("ExportArn");
}

Result<operations::ListTransfersRequest> DecodeListExports(const json::Object& body) {
  return DecodeListRequest(Fields(body), "MaxResults");
}

Result<operations::ImportTableRequest> DecodeImportTable(const json::Object& body) {
  const Fields fields(body);
  operations::ImportTableRequest request;
  request.client_token = fields.OptionalText("ClientToken");
  const Fields source(*fields.Find("S3BucketSource"));
  request.source = {source.Text("S3Bucket"), source.OptionalText("S3BucketOwner"),
                    source.OptionalText("S3KeyPrefix")};
  request.format = fields.OptionalEnum("InputFormat", kFormats).value_or(request.format);
  if (const auto options = fields.Find("InputFormatOptions")) {
    if (const auto csv = Fields(*options).Find("Csv")) request.csv = DecodeCsv(Fields(*csv));
  }
  request.compression =
      fields.OptionalEnum("InputCompressionType", kCompressions).value_or(request.compression);
  TRY_ASSIGN(request.table,
             DecodeCreateTable(json::ObjectOf(*fields.Find("TableCreationParameters"))));
  return request;
}

Result<std::string> DecodeImportArn(const json::Object& body) {
  return Fields(body).Text("ImportArn");
}

Result<operations::ListTransfersRequest> DecodeListImports(const json::Object& body) {
  return DecodeListRequest(Fields(body), "PageSize");
}

namespace {

using operations::ExportDescription;
using operations::ImportDescription;
using operations::TransferStatus;

std::string_view StatusName(TransferStatus status) {
  switch (status) {
    case TransferStatus::kCompleted:
      return "COMPLETED";
    case TransferStatus::kFailed:
      return "FAILED";
    case TransferStatus::kInProgress:
      break;
  }
  return "IN_PROGRESS";
}

std::string_view TypeName(ExportType type) {
  return type == ExportType::kFull ? "FULL_EXPORT" : "INCREMENTAL_EXPORT";
}

std::string_view FormatName(operations::FileFormat format) {
  switch (format) {
    case operations::FileFormat::kCsv:
      return "CSV";
    case operations::FileFormat::kIon:
      return "ION";
    case operations::FileFormat::kDynamoDbJson:
      break;
  }
  return "DYNAMODB_JSON";
}

std::string_view CompressionName(operations::Compression compression) {
  switch (compression) {
    case operations::Compression::kGzip:
      return "GZIP";
    case operations::Compression::kZstd:
      return "ZSTD";
    case operations::Compression::kNone:
      break;
  }
  return "NONE";
}

void EncodeText(std::string_view name, const std::optional<std::string>& text,
                json::Writer* writer) {
  if (text) writer->Key(name).String(*text);
}

void EncodeFailure(const std::optional<operations::TransferFailure>& failure,
                   json::Writer* writer) {
  if (!failure) return;
  writer->Key("FailureCode").String(failure->code);
  writer->Key("FailureMessage").String(failure->message);
}

void EncodeTimes(const ExportDescription& transfer, json::Writer* writer) {
  EncodeTime("StartTime", transfer.started_at_ms, writer);
  if (transfer.ended_at_ms != 0) EncodeTime("EndTime", transfer.ended_at_ms, writer);
  if (transfer.type == ExportType::kFull) {
    EncodeTime("ExportTime", transfer.time_ms, writer);
    return;
  }
  const bool both = transfer.view == operations::ExportView::kNewAndOldImages;
  writer->Key("IncrementalExportSpecification").BeginObject();
  EncodeTime("ExportFromTime", transfer.from_ms, writer);
  EncodeTime("ExportToTime", transfer.to_ms, writer);
  writer->Key("ExportViewType").String(both ? "NEW_AND_OLD_IMAGES" : "NEW_IMAGE").EndObject();
}

void EncodeSource(const ImportDescription& transfer, json::Writer* writer) {
  writer->Key("S3BucketSource").BeginObject();
  EncodeText("S3BucketOwner", transfer.source.owner, writer);
  writer->Key("S3Bucket").String(transfer.source.bucket);
  EncodeText("S3KeyPrefix", transfer.source.prefix, writer);
  writer->EndObject();
}

void EncodeInput(const ImportDescription& transfer, json::Writer* writer) {
  writer->Key("InputFormat").String(FormatName(transfer.format));
  if (transfer.csv) {
    writer->Key("InputFormatOptions").BeginObject().Key("Csv").BeginObject();
    EncodeText("Delimiter", transfer.csv->delimiter, writer);
    if (transfer.csv->header) {
      writer->Key("HeaderList").BeginArray();
      for (const std::string& name : *transfer.csv->header) writer->String(name);
      writer->EndArray();
    }
    writer->EndObject().EndObject();
  }
  writer->Key("InputCompressionType").String(CompressionName(transfer.compression));
}

void EncodeThroughput(const table::TableDefinition& table, const table::Throughput& throughput,
                      json::Writer* writer) {
  if (table.billing_mode == table::BillingMode::kPayPerRequest) return;
  writer->Key("ProvisionedThroughput").BeginObject();
  writer->Key("ReadCapacityUnits").Integer(throughput.read_units);
  writer->Key("WriteCapacityUnits").Integer(throughput.write_units).EndObject();
}

void EncodeTableCreation(const table::TableDefinition& table, json::Writer* writer) {
  writer->Key("TableCreationParameters").BeginObject().Key("TableName").String(table.name);
  EncodeAttributeDefinitions(table, writer);
  wire::WriteKeySchema(table.key, writer);
  writer->Key("BillingMode").String(table::BillingModeName(table.billing_mode));
  EncodeThroughput(table, table.throughput, writer);
  if (table.sse.enabled) {
    writer->Key("SSESpecification").BeginObject().Key("Enabled").Bool(true);
    writer->Key("SSEType").String("KMS");
    writer->Key("KMSMasterKeyId").String(table.sse.kms_key_arn).EndObject();
  }
  if (!table.indexes.empty()) {
    writer->Key("GlobalSecondaryIndexes").BeginArray();
    for (const table::IndexDefinition& index : table.indexes) {
      writer->BeginObject().Key("IndexName").String(index.name);
      wire::WriteKeySchema(index.key, writer);
      EncodeProjection(index.projection, writer);
      EncodeThroughput(table, index.throughput, writer);
      writer->EndObject();
    }
    writer->EndArray();
  }
  writer->EndObject();
}

}  // namespace

void EncodeExport(const ExportDescription& transfer, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject().Key("ExportDescription").BeginObject();
  writer.Key("ExportArn").String(transfer.arn);
  writer.Key("ExportStatus").String(StatusName(transfer.status));
  EncodeTimes(transfer, &writer);
  if (!transfer.manifest.empty()) writer.Key("ExportManifest").String(transfer.manifest);
  writer.Key("TableArn").String(transfer.table_arn);
  writer.Key("TableId").String(transfer.table_uuid);
  EncodeText("ClientToken", transfer.client_token, &writer);
  writer.Key("S3Bucket").String(transfer.bucket);
  EncodeText("S3BucketOwner", transfer.bucket_owner, &writer);
  EncodeText("S3Prefix", transfer.prefix, &writer);
  writer.Key("S3SseAlgorithm").String(transfer.sse_algorithm.value_or("AES256"));
  EncodeText("S3SseKmsKeyId", transfer.sse_kms_key_id, &writer);
  EncodeFailure(transfer.failure, &writer);
  writer.Key("ExportFormat").String("DYNAMODB_JSON");
  if (transfer.status == TransferStatus::kCompleted) {
    writer.Key("BilledSizeBytes").Integer(transfer.billed_bytes);
    writer.Key("ItemCount").Integer(transfer.item_count);
  }
  writer.Key("ExportType").String(TypeName(transfer.type));
  writer.EndObject().EndObject();
}

void EncodeListExports(const operations::ListExportsResponse& response, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject().Key("ExportSummaries").BeginArray();
  for (const ExportDescription& transfer : response.exports) {
    writer.BeginObject().Key("ExportArn").String(transfer.arn);
    writer.Key("ExportStatus").String(StatusName(transfer.status));
    writer.Key("ExportType").String(TypeName(transfer.type)).EndObject();
  }
  writer.EndArray();
  EncodeText("NextToken", response.next_token, &writer);
  writer.EndObject();
}

void EncodeImport(const ImportDescription& transfer, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject().Key("ImportTableDescription").BeginObject();
  writer.Key("ImportArn").String(transfer.arn);
  writer.Key("ImportStatus").String(StatusName(transfer.status));
  writer.Key("TableArn").String(transfer.table_arn);
  writer.Key("TableId").String(transfer.table.uuid);
  EncodeText("ClientToken", transfer.client_token, &writer);
  EncodeSource(transfer, &writer);
  writer.Key("ErrorCount").Integer(transfer.errors);
  EncodeInput(transfer, &writer);
  EncodeTableCreation(transfer.table, &writer);
  EncodeTime("StartTime", transfer.started_at_ms, &writer);
  if (transfer.ended_at_ms != 0) EncodeTime("EndTime", transfer.ended_at_ms, &writer);
  writer.Key("ProcessedSizeBytes").Integer(transfer.processed_bytes);
  writer.Key("ProcessedItemCount").Integer(transfer.processed_items);
  writer.Key("ImportedItemCount").Integer(transfer.imported_items);
  EncodeFailure(transfer.failure, &writer);
  writer.EndObject().EndObject();
}

void EncodeListImports(const operations::ListImportsResponse& response, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject().Key("ImportSummaryList").BeginArray();
  for (const ImportDescription& transfer : response.imports) {
    writer.BeginObject().Key("ImportArn").String(transfer.arn);
    writer.Key("ImportStatus").String(StatusName(transfer.status));
    writer.Key("TableArn").String(transfer.table_arn);
    EncodeSource(transfer, &writer);
    writer.Key("InputFormat").String(FormatName(transfer.format));
    EncodeTime("StartTime", transfer.started_at_ms, &writer);
    if (transfer.ended_at_ms != 0) EncodeTime("EndTime", transfer.ended_at_ms, &writer);
    writer.EndObject();
  }
  writer.EndArray();
  EncodeText("NextToken", response.next_token, &writer);
  writer.EndObject();
}

std::span<const Operation> TransferOperations() {
  static constexpr Operation kOperations[] = {
      {"ExportTableToPointInTime", shapes::kExportTable, Place::kWorker,
       Returning<DecodeExportTable, operations::ExportTableToPointInTime, EncodeExport>},
      {"DescribeExport", shapes::kDescribeExport, Place::kWorker,
       Returning<DecodeExportArn, operations::DescribeExport, EncodeExport>},
      {"ListExports", shapes::kListExports, Place::kWorker,
       Returning<DecodeListExports, operations::ListExports, EncodeListExports>},
      {"ImportTable", shapes::kImportTable, Place::kWorker,
       Returning<DecodeImportTable, operations::ImportTable, EncodeImport>},
      {"DescribeImport", shapes::kDescribeImport, Place::kWorker,
       Returning<DecodeImportArn, operations::DescribeImport, EncodeImport>},
      {"ListImports", shapes::kListImports, Place::kWorker,
       Returning<DecodeListImports, operations::ListImports, EncodeListImports>},
  };
  return kOperations;
}

}  // namespace monotable::api::dynamodb

#include <utility>

#include "api/dynamodb/decode.h"
#include "api/dynamodb/fields.h"

namespace monotable::api::dynamodb {
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

operations::ListTransfersRequest DecodeList(const Fields& fields, std::string_view limit) {
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
  return DecodeList(Fields(body), "MaxResults");
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
  return DecodeList(Fields(body), "PageSize");
}

}  // namespace monotable::api::dynamodb

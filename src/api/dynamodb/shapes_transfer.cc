#include "api/dynamodb/shapes.h"

namespace monotable::api::dynamodb::shapes {
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

const Member kImportTableMembers[] = {
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

}  // namespace

constexpr Shape kExportTable = Structure("ExportTableToPointInTimeInput", kExportTableMembers);
constexpr Shape kDescribeExport = Structure("DescribeExportInput", kDescribeExportMembers);
constexpr Shape kListExports = Structure("ListExportsInput", kListExportsMembers);
const Shape kImportTable = Structure("ImportTableInput", kImportTableMembers);
constexpr Shape kDescribeImport = Structure("DescribeImportInput", kDescribeImportMembers);
constexpr Shape kListImports = Structure("ListImportsInput", kListImportsMembers);

}  // namespace monotable::api::dynamodb::shapes

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "error/result.h"
#include "operations/tables.h"
#include "table/definition.h"

// Exports of tables to buckets and imports from them: what is asked for, and how it is described.
// The operations check requests and begin jobs (engine/jobs.h); transfer/ does them, with files.
namespace monotable::operations {

// The numbers of these enumerations are on disk: never change one.
enum class ExportType : uint8_t { kFull = 0, kIncremental = 1 };
enum class ExportView : uint8_t { kNewImage = 0, kNewAndOldImages = 1 };
enum class FileFormat : uint8_t { kDynamoDbJson = 0, kIon = 1, kCsv = 2 };
enum class Compression : uint8_t { kNone = 0, kGzip = 1, kZstd = 2 };

enum class TransferStatus { kInProgress, kCompleted, kFailed };

// Why a transfer failed, in the words of DescribeExport and DescribeImport.
struct TransferFailure {
  std::string code;
  std::string message;
};

struct IncrementalExport {
  std::optional<int64_t> from_ms;  // included
  std::optional<int64_t> to_ms;    // excluded
  std::optional<ExportView> view;
};

struct ExportTableRequest {
  std::string table_arn;
  std::optional<int64_t> time_ms;
  std::optional<std::string> client_token;
  std::string bucket;
  std::optional<std::string> bucket_owner;
  std::optional<std::string> prefix;
  std::optional<std::string> sse_algorithm;
  std::optional<std::string> sse_kms_key_id;
  FileFormat format = FileFormat::kDynamoDbJson;
  ExportType type = ExportType::kFull;
  std::optional<IncrementalExport> incremental;
};

// An export: the request and its outcome.
struct ExportDescription {
  std::string id;
  TransferStatus status = TransferStatus::kInProgress;
  std::string arn;
  std::string table_arn;
  std::string table_uuid;
  uint32_t table_id = 0;
  std::string bucket;
  std::optional<std::string> bucket_owner;
  std::optional<std::string> prefix;
  std::optional<std::string> sse_algorithm;
  std::optional<std::string> sse_kms_key_id;
  std::optional<std::string> client_token;
  std::string fingerprint;  // of the request, for the token
  ExportType type = ExportType::kFull;
  int64_t time_ms = 0;  // the moment of a full export
  int64_t from_ms = 0;  // of an incremental one
  int64_t to_ms = 0;
  ExportView view = ExportView::kNewAndOldImages;
  int64_t started_at_ms = 0;
  // Set when the export has ended.
  int64_t ended_at_ms = 0;
  std::string manifest;
  int64_t item_count = 0;
  int64_t billed_bytes = 0;
  std::optional<TransferFailure> failure;
};

struct ListTransfersRequest {
  std::optional<std::string> table_arn;
  std::optional<int64_t> limit;
  std::optional<std::string> next_token;
};

struct ListExportsResponse {
  std::vector<ExportDescription> exports;  // newest first
  std::optional<std::string> next_token;
};

struct BucketSource {
  std::string bucket;
  std::optional<std::string> owner;
  std::optional<std::string> prefix;
};

struct CsvOptions {
  std::optional<std::string> delimiter;
  std::optional<std::vector<std::string>> header;
};

struct ImportTableRequest {
  std::optional<std::string> client_token;
  BucketSource source;
  FileFormat format = FileFormat::kDynamoDbJson;
  std::optional<CsvOptions> csv;
  Compression compression = Compression::kNone;
  CreateTableRequest table;
};

struct ImportDescription {
  std::string id;
  TransferStatus status = TransferStatus::kInProgress;
  std::string arn;
  std::string table_arn;
  table::TableDefinition table;  // as it was asked for
  BucketSource source;
  FileFormat format = FileFormat::kDynamoDbJson;
  std::optional<CsvOptions> csv;
  Compression compression = Compression::kNone;
  std::optional<std::string> client_token;
  std::string fingerprint;
  int64_t started_at_ms = 0;
  int64_t ended_at_ms = 0;  // 0: it has not ended
  int64_t processed_bytes = 0;
  int64_t processed_items = 0;
  int64_t imported_items = 0;
  int64_t errors = 0;
  std::optional<TransferFailure> failure;
};

struct ListImportsResponse {
  std::vector<ImportDescription> imports;  // newest first
  std::optional<std::string> next_token;
};

Result<ExportDescription> ExportTableToPointInTime(engine::Engine& engine,
                                                   const ExportTableRequest& request);
Result<ExportDescription> DescribeExport(engine::Engine& engine, const std::string& export_arn);
Result<ListExportsResponse> ListExports(engine::Engine& engine,
                                        const ListTransfersRequest& request);

Result<ImportDescription> ImportTable(engine::Engine& engine, const ImportTableRequest& request);
Result<ImportDescription> DescribeImport(engine::Engine& engine, const std::string& import_arn);
Result<ListImportsResponse> ListImports(engine::Engine& engine,
                                        const ListTransfersRequest& request);

}  // namespace monotable::operations

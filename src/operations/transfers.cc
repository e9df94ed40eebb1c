#include "operations/transfers.h"

#include <charconv>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/change_log.h"
#include "engine/jobs.h"
#include "error/result.h"
#include "operations/tables.h"
#include "operations/transfer_checks.h"
#include "operations/transfer_record.h"

namespace monotable::operations {
namespace {

// How long a client token is known, and a transfer listed.
constexpr int64_t kClientTokenLifeMs = 8 * 3'600'000;
constexpr int64_t kListedMs = 90LL * 24 * 3'600'000;

constexpr size_t kTokenLength = 112;
constexpr size_t kIdLength = 23;  // 14 digits, a dash, 8 hexadecimal digits

// The id at the end of an ARN, after "/export/" or "/import/"; empty if there is none.
std::string_view TransferIdOf(std::string_view arn, std::string_view infix) {
  const size_t at = arn.rfind(infix);
  return at == std::string_view::npos ? std::string_view() : arn.substr(at + infix.size());
}

// A NextToken: the id of the last job on the page before, in the length and the alphabet that the
// service's model demands of the tokens of ListImports.
std::string EncodeListToken(std::string_view id) {
  std::string token;
  for (const char c : id) token += fmt::format("{:02x}", static_cast<unsigned char>(c));
  token.resize(kTokenLength, '0');
  return token;
}

Result<std::string> DecodeListToken(std::string_view token) {
  std::string id;
  bool good = token.size() == kTokenLength;
  for (size_t i = 0; good && i < kIdLength; ++i) {
    const char* digits = token.data() + 2 * i;
    unsigned value = 0;
    const auto [end, error] = std::from_chars(digits, digits + 2, value, 16);
    good = error == std::errc() && end == digits + 2;
    id.push_back(static_cast<char>(value));
  }
  if (!good) return Error::Validation("NextToken is invalid");
  return id;
}

template <typename Description>
using ReadTransfer = Result<Description> (*)(const engine::Job& job);

// The transfer of a kind that was begun with a token that is still known.
template <typename Description>
Result<std::optional<Description>> FindByToken(engine::Engine& engine, engine::JobKind kind,
                                               const std::optional<std::string>& token,
                                               ReadTransfer<Description> read) {
  if (!token) return std::optional<Description>();
  const int64_t now_ms = engine.clock().NowMs();
  TRY_ASSIGN(const std::vector<engine::Job> jobs, engine.jobs().List(kind));
  for (const engine::Job& job : jobs) {
    TRY_ASSIGN(Description transfer, read(job));
    if (transfer.client_token == token && now_ms - transfer.started_at_ms < kClientTokenLifeMs) {
      return std::optional(std::move(transfer));
    }
  }
  return std::optional<Description>();
}

// One page of the transfers of a kind, newest first.
template <typename Description>
Result<std::pair<std::vector<Description>, std::optional<std::string>>> ListPage(
    engine::Engine& engine, engine::JobKind kind, const ListTransfersRequest& request,
    ReadTransfer<Description> read) {
  constexpr int64_t kPageSize = 25;
  const auto limit = static_cast<size_t>(request.limit.value_or(kPageSize));
  std::optional<std::string> before;
  if (request.next_token) {
    TRY_ASSIGN(before, DecodeListToken(*request.next_token));
  }
  std::optional<std::string> table_arn;
  if (request.table_arn) {
    table_arn = engine.TableArn(engine::Engine::TableNameOf(*request.table_arn));
  }
  const int64_t since_ms = engine.clock().NowMs() - kListedMs;
  TRY_ASSIGN(const std::vector<engine::Job> jobs, engine.jobs().List(kind));
  std::pair<std::vector<Description>, std::optional<std::string>> page;
  for (auto job = jobs.rbegin(); job != jobs.rend(); ++job) {
    if (before && job->id >= *before) continue;
    TRY_ASSIGN(Description transfer, read(*job));
    if (table_arn && transfer.table_arn != *table_arn) continue;
    if (transfer.started_at_ms < since_ms) break;
    if (page.first.size() == limit) {
      page.second = EncodeListToken(page.first.back().id);
      break;
    }
    page.first.push_back(std::move(transfer));
  }
  return page;
}

constexpr int64_t kShortestWindowMs = int64_t{15} * 60'000;
constexpr int64_t kLongestWindowMs = int64_t{24} * 60 * 60'000;

// Requests with one token may come at the same time, and only one of them may begin an export.
std::mutex beginning_export;

Status CheckParameters(const ExportTableRequest& request) {
  TRY(CheckClientToken(request.client_token));
  TRY(CheckBucket(request.bucket, "s3Bucket"));
  TRY(CheckOwner(request.bucket_owner, "s3BucketOwner"));
  TRY(CheckPrefix(request.prefix, "S3Prefix"));
  TRY(CheckFormat(request.format, "ExportFormat"));
  if (request.sse_kms_key_id && request.sse_algorithm != "KMS") {
    return Error::Validation(
        "One or more parameter values were invalid: S3SseKmsKeyId is given, but S3SseAlgorithm is "
        "not KMS");
  }
  if (request.type == ExportType::kFull && request.incremental) {
    return Error::Validation(
        "One or more parameter values were invalid: IncrementalExportSpecification is given, but "
        "ExportType is not INCREMENTAL_EXPORT");
  }
  if (request.type == ExportType::kIncremental) {
    if (!request.incremental || !request.incremental->from_ms) {
      return Error::Validation(
          "One or more parameter values were invalid: An incremental export needs the "
          "ExportFromTime of its IncrementalExportSpecification");
    }
    if (request.time_ms) {
      return Error::Validation(
          "One or more parameter values were invalid: ExportTime is given, but ExportType is "
          "INCREMENTAL_EXPORT");
    }
  }
  return {};
}

// The past of a table is known from the time when recovery was enabled, but only for the recovery
// period.
Status CheckTime(const table::TableDefinition& table, int64_t time_ms, int64_t now_ms) {
  if (time_ms >= engine::EarliestRestorableMs(table, now_ms) && time_ms <= now_ms) return {};
  return Error(ErrorCode::kInvalidExportTime,
               "The specified ExportTime is outside of the point in time recovery window.");
}

Status SetTimes(const ExportTableRequest& request, const table::TableDefinition& table,
                ExportDescription* transfer) {
  const int64_t now_ms = transfer->started_at_ms;
  if (request.type == ExportType::kFull) {
    transfer->time_ms = request.time_ms.value_or(now_ms);
    return CheckTime(table, transfer->time_ms, now_ms);
  }
  transfer->from_ms = *request.incremental->from_ms;
  transfer->to_ms = request.incremental->to_ms.value_or(now_ms);
  transfer->view = request.incremental->view.value_or(ExportView::kNewAndOldImages);
  const int64_t window_ms = transfer->to_ms - transfer->from_ms;
  if (window_ms < kShortestWindowMs || window_ms > kLongestWindowMs) {
    return Error::Validation(
        "One or more parameter values were invalid: ExportToTime must be at least 15 minutes and "
        "at most 24 hours after ExportFromTime");
  }
  TRY(CheckTime(table, transfer->from_ms, now_ms));
  return CheckTime(table, transfer->to_ms, now_ms);
}

Result<ExportDescription> Build(engine::Engine& engine, const ExportTableRequest& request) {
  const std::string_view name = engine::Engine::TableNameOf(request.table_arn);
  const engine::TablePtr table = engine.catalog().Find(name);
  if (table == nullptr || table->status == table::TableStatus::kCreating) {
    return Error(ErrorCode::kTableNotFound, "Table not found: " + std::string(name));
  }
  if (!table->point_in_time_recovery.enabled) {
    return Error(ErrorCode::kPointInTimeRecoveryUnavailable,
                 "Point in time recovery is not enabled for table '" + table->name + "'");
  }
  ExportDescription transfer;
  transfer.started_at_ms = engine.clock().NowMs();
  transfer.id = engine::Jobs::NewId(transfer.started_at_ms);
  transfer.table_arn = engine.TableArn(table->name);
  transfer.arn = transfer.table_arn + "/export/" + transfer.id;
  transfer.table_uuid = table->uuid;
  transfer.table_id = table->id;
  transfer.bucket = request.bucket;
  transfer.bucket_owner = request.bucket_owner;
  transfer.prefix = request.prefix;
  transfer.sse_algorithm = request.sse_algorithm;
  transfer.sse_kms_key_id = request.sse_kms_key_id;
  transfer.client_token = request.client_token;
  transfer.fingerprint = FingerprintOf(request);
  transfer.type = request.type;
  TRY(SetTimes(request, *table, &transfer));
  return transfer;
}

}  // namespace

Result<ExportDescription> ExportTableToPointInTime(engine::Engine& engine,
                                                   const ExportTableRequest& request) {
  TRY(CheckParameters(request));
  const std::lock_guard lock(beginning_export);
  TRY_ASSIGN(std::optional<ExportDescription> earlier,
             FindByToken(engine, engine::JobKind::kExport, request.client_token, ToExport));
  if (earlier) {
    if (earlier->fingerprint == FingerprintOf(request)) return std::move(*earlier);
    return Error(ErrorCode::kExportConflict,
                 "There was a conflict when writing to the specified S3 bucket: the client token "
                 "was used for an export with other parameters");
  }
  TRY_ASSIGN(ExportDescription transfer, Build(engine, request));
  TRY(engine.jobs().Begin(ToJob(transfer)));
  return transfer;
}

Result<ExportDescription> DescribeExport(engine::Engine& engine, const std::string& export_arn) {
  TRY_ASSIGN(const std::optional<engine::Job> job,
             engine.jobs().Find(engine::JobKind::kExport, TransferIdOf(export_arn, "/export/")));
  if (job) {
    TRY_ASSIGN(ExportDescription transfer, ToExport(*job));
    if (transfer.arn == export_arn) return transfer;
  }
  return Error(ErrorCode::kExportNotFound, "Export not found: " + export_arn);
}

Result<ListExportsResponse> ListExports(engine::Engine& engine,
                                        const ListTransfersRequest& request) {
  TRY_ASSIGN(auto page, ListPage(engine, engine::JobKind::kExport, request, ToExport));
  return ListExportsResponse{std::move(page.first), std::move(page.second)};
}

namespace {

// Requests with one token may come at the same time, and only one of them may begin an import.
std::mutex beginning_import;

Status CheckParameters(const ImportTableRequest& request) {
  TRY(CheckClientToken(request.client_token));
  TRY(CheckBucket(request.source.bucket, "s3BucketSource.s3Bucket"));
  TRY(CheckOwner(request.source.owner, "s3BucketSource.s3BucketOwner"));
  TRY(CheckPrefix(request.source.prefix, "S3KeyPrefix"));
  TRY(CheckFormat(request.format, "InputFormat"));
  if (!request.csv) return {};
  if (request.format != FileFormat::kCsv) {
    return Error::Validation(
        "One or more parameter values were invalid: InputFormatOptions for CSV are given, but "
        "InputFormat is not CSV");
  }
  return CheckCsv(*request.csv);
}

ImportDescription Build(const engine::Engine& engine, const ImportTableRequest& request,
                        table::TableDefinition table) {
  ImportDescription transfer;
  transfer.started_at_ms = engine.clock().NowMs();
  transfer.id = engine::Jobs::NewId(transfer.started_at_ms);
  transfer.table_arn = engine.TableArn(table.name);
  transfer.arn = transfer.table_arn + "/import/" + transfer.id;
  transfer.source = request.source;
  transfer.format = request.format;
  transfer.csv = request.csv;
  transfer.compression = request.compression;
  transfer.client_token = request.client_token;
  transfer.fingerprint = FingerprintOf(request, table);
  transfer.table = std::move(table);
  return transfer;
}

// One commit creates the table and the job that fills it.
Status Begin(engine::Engine& engine, ImportDescription* transfer) {
  const std::string name = transfer->table.name;
  const auto decide = [transfer](const table::TableDefinition* current,
                                 uint32_t new_id) -> engine::Catalog::Decision {
    if (current != nullptr) {
      return Error(ErrorCode::kResourceInUse, "Table already exists: " + current->name);
    }
    transfer->table.id = new_id;
    return std::optional(transfer->table);
  };
  const auto also = [transfer](const storage::Commit&, storage::Batch* batch) {
    engine::Jobs::Put(ToJob(*transfer), batch);
  };
  TRY(engine.catalog().Change(name, decide, also));
  engine.jobs().BeginStored(engine::JobKind::kImport, transfer->id);
  return {};
}

}  // namespace

Result<ImportDescription> ImportTable(engine::Engine& engine, const ImportTableRequest& request) {
  TRY(CheckParameters(request));
  TRY_ASSIGN(table::TableDefinition table, BuildDefinition(engine, request.table));
  table.status = table::TableStatus::kCreating;
  ImportDescription transfer = Build(engine, request, std::move(table));

  const std::lock_guard lock(beginning_import);
  TRY_ASSIGN(std::optional<ImportDescription> earlier,
             FindByToken(engine, engine::JobKind::kImport, request.client_token, ToImport));
  if (earlier) {
    if (earlier->fingerprint == transfer.fingerprint) return std::move(*earlier);
    return Error(ErrorCode::kImportConflict,
                 "There was a conflict when importing from the specified S3 source: the client "
                 "token was used for an import with other parameters");
  }
  TRY(Begin(engine, &transfer));
  return transfer;
}

Result<ImportDescription> DescribeImport(engine::Engine& engine, const std::string& import_arn) {
  TRY_ASSIGN(const std::optional<engine::Job> job,
             engine.jobs().Find(engine::JobKind::kImport, TransferIdOf(import_arn, "/import/")));
  if (job) {
    TRY_ASSIGN(ImportDescription transfer, ToImport(*job));
    if (transfer.arn == import_arn) return transfer;
  }
  return Error(ErrorCode::kImportNotFound, "Import not found: " + import_arn);
}

Result<ListImportsResponse> ListImports(engine::Engine& engine,
                                        const ListTransfersRequest& request) {
  TRY_ASSIGN(auto page, ListPage(engine, engine::JobKind::kImport, request, ToImport));
  return ListImportsResponse{std::move(page.first), std::move(page.second)};
}

}  // namespace monotable::operations

#include <mutex>

#include "engine/change_log.h"
#include "operations/transfer/transfer.h"
#include "operations/transfer/transfer_checks.h"
#include "operations/transfer/transfer_jobs.h"

namespace monotable::operations {
namespace {

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

// The past of a table can be told from when its recovery was enabled, or as far as that reaches.
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

}  // namespace monotable::operations

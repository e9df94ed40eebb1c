#include <mutex>
#include <utility>

#include "operations/new_table.h"
#include "operations/transfer/transfer.h"
#include "operations/transfer/transfer_checks.h"
#include "operations/transfer/transfer_jobs.h"

namespace monotable::operations {
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

// The table and the job that fills it come to be in one commit.
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

}  // namespace monotable::operations

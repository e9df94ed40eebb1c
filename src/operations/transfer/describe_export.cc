#include "operations/transfer/transfer.h"
#include "operations/transfer/transfer_jobs.h"

namespace monotable::operations {

Result<ExportDescription> DescribeExport(engine::Engine& engine, const std::string& export_arn) {
  TRY_ASSIGN(const std::optional<engine::Job> job,
             engine.jobs().Find(engine::JobKind::kExport, TransferIdOf(export_arn, "/export/")));
  if (job) {
    TRY_ASSIGN(ExportDescription transfer, ToExport(*job));
    if (transfer.arn == export_arn) return transfer;
  }
  return Error(ErrorCode::kExportNotFound, "Export not found: " + export_arn);
}

}  // namespace monotable::operations

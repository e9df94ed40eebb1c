#include "operations/transfer/transfer.h"
#include "operations/transfer/transfer_jobs.h"

namespace monotable::operations {

Result<ImportDescription> DescribeImport(engine::Engine& engine, const std::string& import_arn) {
  TRY_ASSIGN(const std::optional<engine::Job> job,
             engine.jobs().Find(engine::JobKind::kImport, TransferIdOf(import_arn, "/import/")));
  if (job) {
    TRY_ASSIGN(ImportDescription transfer, ToImport(*job));
    if (transfer.arn == import_arn) return transfer;
  }
  return Error(ErrorCode::kImportNotFound, "Import not found: " + import_arn);
}

}  // namespace monotable::operations

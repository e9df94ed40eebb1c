#include "transfer/transfers.h"

#include "engine/jobs.h"
#include "transfer/export_work.h"
#include "transfer/import_work.h"

namespace monotable::transfer {

Status StartTransfers(engine::Engine& engine, const TransferOptions& options) {
  const std::string root = options.root_folder;
  TRY(engine.jobs().SetWork(engine::JobKind::kExport,
                            [&engine, root](const engine::Job& job, const std::stop_token& stop) {
                              return DoExport(engine, root, job, stop);
                            }));
  return engine.jobs().SetWork(
      engine::JobKind::kImport,
      [&engine, root](const engine::Job& job, const std::stop_token& stop) {
        return DoImport(engine, root, job, stop);
      });
}

}  // namespace monotable::transfer

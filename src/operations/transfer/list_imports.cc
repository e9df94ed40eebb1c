#include "operations/transfer/transfer.h"
#include "operations/transfer/transfer_jobs.h"

namespace monotable::operations {

Result<ListImportsResponse> ListImports(engine::Engine& engine,
                                        const ListTransfersRequest& request) {
  TRY_ASSIGN(auto page, ListPage(engine, engine::JobKind::kImport, request, ToImport));
  return ListImportsResponse{std::move(page.first), std::move(page.second)};
}

}  // namespace monotable::operations

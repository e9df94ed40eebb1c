#include "operations/transfer/transfer.h"
#include "operations/transfer/transfer_jobs.h"

namespace monotable::operations {

Result<ListExportsResponse> ListExports(engine::Engine& engine,
                                        const ListTransfersRequest& request) {
  TRY_ASSIGN(auto page, ListPage(engine, engine::JobKind::kExport, request, ToExport));
  return ListExportsResponse{std::move(page.first), std::move(page.second)};
}

}  // namespace monotable::operations

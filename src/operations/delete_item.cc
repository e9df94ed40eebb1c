#include "operations/delete_item.h"

#include <utility>

#include "operations/write_answer.h"
#include "operations/write_expressions.h"

namespace monotable::operations {
namespace {

Result<engine::ItemWrite> Prepare(engine::Engine& engine, DeleteItemRequest& request) {
  engine::ItemWrite write;
  write.action = engine::WriteAction::kDelete;
  TRY(BindExpressions(ExpressionsOf(request), &write));
  TRY(PrepareKeyed(engine, request.table_name, std::move(request.key), &write));
  return write;
}

}  // namespace

void DeleteItem(engine::Engine& engine, DeleteItemRequest request, Done<WriteItemResponse> done) {
  auto write = Prepare(engine, request);
  if (!write) return done(std::move(write).error());
  SubmitSingle(engine, std::move(*write), request, std::move(done));
}

}  // namespace monotable::operations

#include "operations/update_item.h"

#include <utility>

#include "operations/write_answer.h"
#include "operations/write_expressions.h"

namespace monotable::operations {
namespace {

Result<engine::ItemWrite> Prepare(engine::Engine& engine, UpdateItemRequest& request) {
  engine::ItemWrite write;
  write.action = engine::WriteAction::kUpdate;
  WriteExpressions expressions = ExpressionsOf(request);
  expressions.takes_update = true;
  expressions.update_expression = std::move(request.update_expression);
  expressions.attribute_updates = std::move(request.attribute_updates);
  TRY(BindExpressions(std::move(expressions), &write));
  TRY(PrepareKeyed(engine, request.table_name, std::move(request.key), &write));
  return write;
}

}  // namespace

void UpdateItem(engine::Engine& engine, UpdateItemRequest request, Done<WriteItemResponse> done) {
  auto write = Prepare(engine, request);
  if (!write) return done(std::move(write).error());
  SubmitSingle(engine, std::move(*write), request, std::move(done));
}

}  // namespace monotable::operations

#include "operations/delete_item.h"

#include <utility>

#include "operations/write_answer.h"
#include "operations/write_expressions.h"

namespace monotable::operations {
namespace {

Result<engine::ItemWrite> Prepare(engine::Engine& engine, DeleteItemRequest& request) {
  engine::ItemWrite write;
  write.action = engine::WriteAction::kDelete;
  WriteExpressions expressions;
  expressions.condition_expression = std::move(request.condition_expression);
  expressions.attributes = std::move(request.attributes);
  expressions.expected = std::move(request.expected);
  expressions.conditional_operator = request.conditional_operator;
  TRY(BindExpressions(std::move(expressions), &write));
  TRY(PrepareKeyed(engine, request.table_name, std::move(request.key), &write));
  return write;
}

}  // namespace

void DeleteItem(engine::Engine& engine, DeleteItemRequest request, Done<WriteItemResponse> done) {
  auto write = Prepare(engine, request);
  if (!write) return done(std::move(write).error());
  SubmitSingle(engine, std::move(*write),
               {request.return_values, request.return_consumed_capacity,
                request.return_item_collection_metrics, request.return_old_on_condition_failure},
               std::move(done));
}

}  // namespace monotable::operations

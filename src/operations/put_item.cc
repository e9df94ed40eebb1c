#include "operations/put_item.h"

#include <utility>

#include "operations/write_answer.h"
#include "operations/write_expressions.h"

namespace monotable::operations {
namespace {

Result<engine::ItemWrite> Prepare(engine::Engine& engine, PutItemRequest& request) {
  engine::ItemWrite write;
  TRY(CheckItemSize(request.item));
  WriteExpressions expressions;
  expressions.condition_expression = std::move(request.condition_expression);
  expressions.attributes = std::move(request.attributes);
  expressions.expected = std::move(request.expected);
  expressions.conditional_operator = request.conditional_operator;
  TRY(BindExpressions(std::move(expressions), &write));
  TRY(PreparePut(engine, request.table_name, request.item, &write));
  return write;
}

}  // namespace

void PutItem(engine::Engine& engine, PutItemRequest request, Done<WriteItemResponse> done) {
  auto write = Prepare(engine, request);
  if (!write) return done(std::move(write).error());
  SubmitSingle(engine, std::move(*write),
               {request.return_values, request.return_consumed_capacity,
                request.return_item_collection_metrics, request.return_old_on_condition_failure},
               std::move(done));
}

}  // namespace monotable::operations

#include "operations/put_item.h"

#include <utility>

#include "operations/write_answer.h"
#include "operations/write_expressions.h"

namespace monotable::operations {
namespace {

Result<engine::ItemWrite> Prepare(engine::Engine& engine, PutItemRequest& request) {
  engine::ItemWrite write;
  TRY(CheckItemSize(request.item));
  TRY(BindExpressions(ExpressionsOf(request), &write));
  TRY(PreparePut(engine, request.table_name, request.item, &write));
  return write;
}

}  // namespace

void PutItem(engine::Engine& engine, PutItemRequest request, Done<WriteItemResponse> done) {
  auto write = Prepare(engine, request);
  if (!write) return done(std::move(write).error());
  SubmitSingle(engine, std::move(*write), request, std::move(done));
}

}  // namespace monotable::operations

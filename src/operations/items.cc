#include "operations/items.h"

#include <utility>

#include "encoding/keyspace.h"
#include "engine/capacity.h"
#include "engine/key_check.h"
#include "engine/read.h"
#include "operations/reads.h"
#include "operations/writes.h"

namespace monotable::operations {

Result<GetItemResponse> GetItem(engine::Engine& engine, const GetItemRequest& request) {
  TRY_ASSIGN(const auto projection,
             PointProjection::Parse(request.projection_expression, request.attributes_to_get,
                                    request.attributes));
  TRY_ASSIGN(const auto table, engine.FindTable(request.table_name));
  TRY(projection.CheckAgainst(*table));
  TRY(engine::CheckKey(*table, request.key));
  TRY_ASSIGN(auto item,
             engine::ReadItem(engine.store().Latest(), encoding::ItemKey(*table, request.key)));

  GetItemResponse response;
  if (request.return_consumed_capacity != ReturnConsumedCapacity::kNone) {
    const size_t size = item ? encoding::ItemView(*item).ChargedSize() : 0;
    response.consumed_capacity =
        TableReadCapacity(request.table_name, engine::ReadUnits(size, request.consistent_read),
                          request.return_consumed_capacity);
  }
  if (item) {
    TRY_ASSIGN(response.item, projection.Apply(*std::move(item)));
  }
  return response;
}

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
  if (!write) return done(Failed<WriteItemResponse>(std::move(write).error()));
  SubmitSingle(engine, std::move(*write), request, std::move(done));
}

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
  if (!write) return done(Failed<WriteItemResponse>(std::move(write).error()));
  SubmitSingle(engine, std::move(*write), request, std::move(done));
}

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
  if (!write) return done(Failed<WriteItemResponse>(std::move(write).error()));
  SubmitSingle(engine, std::move(*write), request, std::move(done));
}

}  // namespace monotable::operations

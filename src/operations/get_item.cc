#include "operations/get_item.h"

#include <utility>

#include "encoding/keyspace.h"
#include "engine/capacity.h"
#include "engine/key_check.h"
#include "engine/read.h"
#include "operations/point_projection.h"
#include "operations/read_capacity.h"

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

}  // namespace monotable::operations

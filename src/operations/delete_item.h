#pragma once

#include "operations/put_item.h"

namespace monotable::operations {

struct DeleteItemRequest : SingleWriteRequest {
  item::Item key;
};

void DeleteItem(engine::Engine& engine, DeleteItemRequest request, Done<WriteItemResponse> done);

}  // namespace monotable::operations

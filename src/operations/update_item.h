#pragma once

#include "operations/put_item.h"

namespace monotable::operations {

struct UpdateItemRequest : SingleWriteRequest {
  item::Item key;
  std::optional<std::string> update_expression;
  std::optional<expression::LegacyUpdates> attribute_updates;
};

void UpdateItem(engine::Engine& engine, UpdateItemRequest request, Done<WriteItemResponse> done);

}  // namespace monotable::operations

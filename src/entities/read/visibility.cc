#include "entities/read/item_attributes.h"
#include "entities/read/read.h"

namespace monotable::entities {

bool IsHidden(const Entity& entity, encoding::ItemView item, int64_t now_ms) {
  const auto& ttl = entity.model->ttl;
  if (!ttl || !ttl->hide_expired || entity.table->ttl_attribute.empty()) return false;
  const auto expiry = item.Find(entity.table->ttl_attribute);
  if (!expiry || expiry->type() != item::Type::kNumber) return false;
  const auto seconds = item::Number::Parse(expiry->scalar());
  // DynamoDB deletes an item some time after the current time is greater than its expiry.
  return seconds && item::Number::FromInt(now_ms / 1000) > *seconds;
}

bool MaySee(const Entity& entity, encoding::ItemView item, const Caller& caller) {
  const auto& tenancy = entity.application->model().tenancy;
  if (!tenancy || !caller.tenant || entity.model->Find(tenancy->attribute) == nullptr) return true;
  if (!entity.InEnvelope(tenancy->attribute)) {
    if (const auto stored = item.Find(tenancy->attribute))
      return stored->scalar() == *caller.tenant;
  }
  ItemAttributes attributes(entity, item);
  const item::Value* tenant = attributes.Find(tenancy->attribute);
  return tenant != nullptr && tenant->is(item::Type::kString) && tenant->string() == *caller.tenant;
}

}  // namespace monotable::entities

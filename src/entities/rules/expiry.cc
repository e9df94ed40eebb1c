#include "entities/rules/expiry.h"

#include "entities/record.h"
#include "model/instant.h"

namespace monotable::entities {

Result<std::optional<int64_t>> ExpiryOf(const Entity& entity, const item::Map& attributes) {
  if (!entity.model->ttl) return std::optional<int64_t>();
  const model::TtlModel& ttl = *entity.model->ttl;
  if (ttl.when) {
    model::Rule::Scope scope;
    scope.find = [&attributes](std::string_view path) { return FindPath(attributes, path); };
    TRY_ASSIGN(const bool expires, ttl.when->Test(scope));
    if (!expires) return std::optional<int64_t>();
  }
  const item::Value* base = FindPath(attributes, ttl.base);
  if (base == nullptr) return std::optional<int64_t>();
  const auto from = model::ReadInstant(*base);
  if (!from) return std::optional<int64_t>();
  return std::optional(from->millis / 1000 + ttl.after_seconds);
}

bool IsHidden(const Entity& entity, encoding::ItemView item, int64_t now_ms) {
  const auto& ttl = entity.model->ttl;
  if (!ttl || !ttl->hide_expired || entity.table->ttl_attribute.empty()) return false;
  const auto expiry = item.Find(entity.table->ttl_attribute);
  if (!expiry || expiry->type() != item::Type::kNumber) return false;
  const auto seconds = item::Number::Parse(expiry->scalar());
  // DynamoDB deletes an item some time after the current time is greater than its expiry.
  return seconds && item::Number::FromInt(now_ms / 1000) > *seconds;
}

bool IsGone(const Plan& plan, const Slot& slot) {
  return !slot.written && slot.before &&
         IsHidden(*slot.entity, encoding::ItemView(*slot.image), plan.now_ms());
}

}  // namespace monotable::entities

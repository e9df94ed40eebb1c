#include "entities/write/lease.h"

#include <string_view>
#include <utility>

namespace monotable::entities {
namespace {

// A map, which cannot be the key of an index.
constexpr std::string_view kLease = "lease";

}  // namespace

std::optional<Lease> ReadLease(const item::Item& job) {
  const item::Value* stored = job.Find(kLease);
  if (stored == nullptr || !stored->is(item::Type::kMap)) return std::nullopt;
  const item::Value* owner = stored->map().Find("owner");
  const item::Value* until = stored->map().Find("until");
  Lease lease;
  if (owner == nullptr || !owner->is(item::Type::kString)) return std::nullopt;
  if (until == nullptr || !until->is(item::Type::kNumber)) return std::nullopt;
  if (!until->number().ToInt64(&lease.until_ms)) return std::nullopt;
  lease.owner = owner->string();
  return lease;
}

void SetLease(const Lease& lease, item::Item* job) {
  item::Map content;
  content.Set("owner", item::Value(lease.owner));
  content.Set("until", item::Value(item::Number::FromInt(lease.until_ms)));
  job->Set(kLease, item::Value(std::move(content)));
}

void RemoveLease(item::Item* job) {
  job->Remove(kLease);
}

}  // namespace monotable::entities

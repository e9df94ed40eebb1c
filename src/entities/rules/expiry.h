#pragma once

#include <cstdint>
#include <optional>

#include "encoding/item.h"
#include "entities/application.h"
#include "entities/write/plan.h"
#include "error/result.h"

// Time to live: an item has its expiry in an attribute of the table while the model says so. The
// expiry is made anew with the keys whenever an item is stored (ItemOf), so the rule needs no phase
// of its own. With `hide_expired`, an item whose time is over is as good as deleted.
namespace monotable::entities {

// When the item expires, in seconds; nothing if it does not.
Result<std::optional<int64_t>> ExpiryOf(const Entity& entity, const item::Map& attributes);

// Whether the item has expired and is not to be shown.
bool IsHidden(const Entity& entity, encoding::ItemView item, int64_t now_ms);

// Whether the item that a write has found is as good as deleted.
bool IsGone(const Plan& plan, const Slot& slot);

}  // namespace monotable::entities

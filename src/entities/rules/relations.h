#pragma once

#include <string_view>
#include <vector>

#include "entities/write/plan.h"
#include "error/result.h"

// Other items that the rules of an item look at: what it refers to, its parent, its members. Each
// becomes a slot of the draft, so that it is compared when the write is decided.
namespace monotable::entities {

// What an attribute refers to: by its key if the attributes make one, else through an index that
// is made of the id alone. Null if the attribute is not set or the item does not exist.
Result<Slot*> Referenced(Plan* plan, const Slot& slot, const model::AttributeModel& attribute);

// Null if the entity has no parent, or if its attributes do not make the parent's key.
Result<Slot*> ParentOf(Plan* plan, const Slot& slot, KeyLocks::Mode mode);

// The item of another entity that an expression means by the entity's name.
Result<Slot*> Related(Plan* plan, const Slot& slot, std::string_view entity_name);

// The items of a member of the collection whose root this is, as the draft leaves them.
Result<std::vector<const Record*>> Members(Plan* plan, const Slot& slot, std::string_view member);

// Whether a derived value of the parent is made of the members of this entity.
bool IsSummedUp(const Entity& parent, const Entity& child);

}  // namespace monotable::entities

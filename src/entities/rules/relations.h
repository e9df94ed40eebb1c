#pragma once

#include <string_view>
#include <vector>

#include "entities/relation.h"
#include "entities/write/plan.h"
#include "error/result.h"

// Other items that the rules of an item look at: what it refers to, its parent, its members. Each
// becomes a slot of the draft, so that it is compared when the write is decided.
namespace monotable::entities {

// What an attribute refers to. Null if the attribute is not set, or if there is no such item of the
// same tenant.
Result<Slot*> Referenced(Plan* plan, const Slot& slot, const model::AttributeModel& attribute);

// Whether a record refers to another item than the old record did: the attribute has changed, or
// another attribute of the same name as one in the key of the item that it refers to.
bool RefersAnew(const Application& application, const Record* old_record, const Record& record,
                const model::AttributeModel& attribute);

// The slot of the parent, or the root of a collection, that a record belongs to; there may be no
// item in it. Null if the record does not say.
Result<Slot*> OwnerOf(Plan* plan, const Relation& relation, const Record& record,
                      KeyLocks::Mode mode);
// Whether there is an item in the slot of the owner, and of the same tenant.
bool Owns(const Plan& plan, const Relation& relation, const Slot& owner, const Record& record);

// The item of another entity that an expression means by the entity's name.
Result<Slot*> Related(Plan* plan, const Slot& slot, std::string_view entity_name);

// The items of a member of the collection whose root this is, as the draft leaves them.
Result<std::vector<const Record*>> Members(Plan* plan, const Slot& slot, std::string_view member);

}  // namespace monotable::entities

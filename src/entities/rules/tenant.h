#pragma once

#include "entities/write/plan.h"
#include "error/result.h"

namespace monotable::entities {

// Gives the attributes the caller's tenant, if the entity has tenants. kForbidden if they name
// another one.
Status InjectTenant(const Plan& plan, const Entity& entity, item::Map* attributes);

// Whether a record belongs to another tenant than the caller's.
bool IsOfAnotherTenant(const Plan& plan, const Record& record);

}  // namespace monotable::entities

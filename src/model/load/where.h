#pragma once

#include <string>
#include <vector>

#include "model/load/context.h"

namespace monotable::model {

// Reads a where: "PK = SALE#{SaleId} and SK begins_with LINE#". Attributes must be of the key, and
// what the templates name attributes of the entity.
std::vector<WhereTerm> ReadWhere(const Node& node, const std::string& subject,
                                 const EntityModel& entity, const table::KeySchema& key,
                                 LoadContext* context);

}  // namespace monotable::model

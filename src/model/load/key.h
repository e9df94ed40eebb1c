#pragma once

#include <string>

#include "model/load/context.h"

namespace monotable::model {

// The keys of an entity, in its table and in the indexes that it names or that share the table's
// key attributes. The entity's attributes must have been read.
void LoadKeys(const Node& node, const std::string& subject, const TableModel& table,
              EntityModel* entity, LoadContext* context);

}  // namespace monotable::model

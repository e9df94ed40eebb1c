#pragma once

#include <string>

#include "model/model.h"

namespace monotable::document {

// The entity chart of a table: what each entity puts into the keys of the table and its indexes.
std::string EntityChart(const model::Model& model, const model::TableModel& table);

// An entity's section: attributes and the rules it lives by.
std::string DescribeEntity(const model::EntityModel& entity);

}  // namespace monotable::document

#pragma once

#include "json/json_writer.h"
#include "model/cloudformation/choices.h"
#include "model/model.h"

namespace monotable::model {

// The properties of a table as a resource of type AWS::DynamoDB::Table.
void WriteTableProperties(const TableModel& table, const Choices& choices, json::Writer* out);

}  // namespace monotable::model

#pragma once

#include "document/cloudformation/choices.h"
#include "json/write.h"
#include "model/model.h"

namespace monotable::document {

// The properties of a table as a resource of type AWS::DynamoDB::Table.
void WriteTableProperties(const model::TableModel& table, const Choices& choices,
                          json::Writer* out);

}  // namespace monotable::document

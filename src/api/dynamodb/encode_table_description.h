#pragma once

#include "json/write.h"
#include "operations/table_description.h"

namespace monotable::api::dynamodb {

// A table as the service describes it: members that do not apply are left out rather than empty.
void EncodeTableDescription(const operations::TableDescription& table, json::Writer* writer);

}  // namespace monotable::api::dynamodb

#pragma once

#include <cstdint>
#include <string_view>

#include "json/json_writer.h"
#include "operations/table_description.h"

namespace monotable::api::dynamodb {

// A table as the service describes it: members that do not apply are left out rather than empty.
void EncodeTableDescription(const operations::TableDescription& table, json::Writer* writer);

// Members that other descriptions have too: "AttributeDefinitions", "KeySchema", "Projection", and
// a time of any name.
void EncodeAttributeDefinitions(const table::TableDefinition& definition, json::Writer* writer);
void EncodeProjection(const table::Projection& projection, json::Writer* writer);
void EncodeKeySchema(const table::KeySchema& key, json::Writer* writer);
void EncodeTime(std::string_view name, int64_t milliseconds, json::Writer* writer);

}  // namespace monotable::api::dynamodb

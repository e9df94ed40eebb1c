#pragma once

#include <vector>

#include "json/json_writer.h"
#include "table/definition.h"

// The parts of a table that DynamoDB's requests and answers and CloudFormation's templates write in
// the same way. Each function writes one member of an object that is open.
namespace monotable::wire {

// KeySchema.
void WriteKeySchema(const table::KeySchema& key, json::Writer* out);
// AttributeDefinitions, in the order given.
void WriteAttributeDefinitions(const std::vector<table::KeyAttribute>& attributes,
                               json::Writer* out);
// Projection, with its attributes in the order given.
void WriteProjection(const table::Projection& projection, json::Writer* out);

// Each attribute of some keys once, in order of appearance.
std::vector<table::KeyAttribute> AttributesOf(const std::vector<const table::KeySchema*>& keys);

}  // namespace monotable::wire

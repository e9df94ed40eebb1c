#pragma once

#include <string>

#include "model/model.h"

namespace monotable::model {

// The whole design as a page of Markdown with Mermaid diagrams: tables and indexes, entity chart,
// attributes, enums, access patterns with their requests, and multi-item writes.
std::string DescribeModel(const Model& model);

}  // namespace monotable::model

#pragma once

#include <string>

#include "model/model.h"

namespace monotable::document {

// The whole design as a page of Markdown with Mermaid diagrams: tables and indexes, entity chart,
// attributes, enums, access patterns with their requests, and multi-item writes.
std::string DescribeModel(const model::Model& model);

}  // namespace monotable::document

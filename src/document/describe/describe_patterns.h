#pragma once

#include <string>
#include <vector>

#include "model/model.h"
#include "model/plan/read_plan.h"

namespace monotable::document {

// The cost of a pattern as its requests: "1 GetItem", "6 Queries", "Scan".
std::string CostClass(const model::PatternModel& pattern, const model::ReadPlan& plan);

// The table or index that a pattern reads.
std::string ReadTarget(const model::Model& model, const model::PatternModel& pattern,
                       const model::ReadPlan& plan);

// The table of all patterns. `plans` has the plan of each pattern, in order.
std::string PatternTable(const model::Model& model, const std::vector<model::ReadPlan>& plans);

// The section of a pattern: its purpose, its parameters and its exact request.
std::string DescribePattern(const model::PatternModel& pattern, const model::ReadPlan& plan);

}  // namespace monotable::document

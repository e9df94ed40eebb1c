#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"
#include "model/plan/read_plan.h"

namespace monotable::document {

// What a pattern costs, in the words of a request: "1 GetItem", "6 Queries", "Scan".
std::string CostClass(const model::PatternModel& pattern, const model::ReadPlan& plan);

// Where it reads: the table's name, or the index's.
std::string ReadTarget(const model::Model& model, const model::PatternModel& pattern,
                       const model::ReadPlan& plan);

// The table of all patterns. The plans are those of the patterns, in order.
std::string PatternTable(const model::Model& model, const std::vector<model::ReadPlan>& plans);

// A pattern's section: what it is for, its parameters and its exact request.
std::string DescribePattern(const model::PatternModel& pattern, const model::ReadPlan& plan);

}  // namespace monotable::document

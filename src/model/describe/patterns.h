#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"
#include "model/plan/plan.h"

namespace monotable::model {

// What a pattern costs, in the words of a request: "1 GetItem", "6 Queries", "Scan".
std::string CostClass(const PatternModel& pattern, const ReadPlan& plan);

// Where it reads: the table's name, or the index's.
std::string ReadTarget(const Model& model, const PatternModel& pattern, const ReadPlan& plan);

// The table of all patterns. The plans are those of the patterns, in order.
std::string PatternTable(const Model& model, const std::vector<ReadPlan>& plans);

// A pattern's section: what it is for, its parameters and its exact request.
std::string DescribePattern(const PatternModel& pattern, const ReadPlan& plan);

}  // namespace monotable::model

#pragma once

#include <string>

#include "model/model.h"
#include "model/plan/plan.h"

// The requests of a plan as a DynamoDB client would send them.
namespace monotable::model {

// The first step as JSON, with {parameters} in the values and in the table's name.
std::string RequestOf(const Model& model, const PatternModel& pattern, const ReadPlan& plan);

}  // namespace monotable::model

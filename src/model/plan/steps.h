#pragma once

#include "model/model.h"
#include "model/plan/plan.h"

namespace monotable::model {

// Adds the request that finds what the pattern asks for, its parameters and its fan-out to the
// plan. False if the entity's keys do not serve the pattern; the plan then has the reason.
bool PlanFirstStep(const Model& model, const PatternModel& pattern, ReadPlan* plan);

}  // namespace monotable::model

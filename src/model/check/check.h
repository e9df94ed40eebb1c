#pragma once

#include "model/finding.h"
#include "model/model.h"

namespace monotable::model {

// Everything that can be known about a design before it holds an item: whether the keys serve the
// patterns (PlanPattern), collisions, overlaps, hot partitions, sizes, projections, tenancy.
// docs/models/findings.md lists the ids. Findings that the model accepts are left out.
void CheckModel(const Model& model, Findings* findings);

}  // namespace monotable::model

#pragma once

#include <string>
#include <vector>

#include "model/model.h"
#include "model/plan/plan.h"

namespace monotable::model {

// The other entities whose items a Query may return, because nothing in the keys keeps them out of
// the partition and range that it reads. In the order of the model.
std::vector<std::string> AlsoRead(const Model& model, const PatternModel& pattern,
                                  const ReadStep& step);

}  // namespace monotable::model

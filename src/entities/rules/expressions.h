#pragma once

#include <optional>

#include "entities/write/plan.h"
#include "error/result.h"
#include "model/rule/rule.h"

// Expressions of a model as a write sees them: about an item of the draft, the items it refers to,
// and its members. Each item that an expression names becomes a slot of the draft.
namespace monotable::entities {

// Paths that begin with input. are found among the inputs, which may be null.
Result<std::optional<item::Value>> Evaluate(Plan* plan, const Slot& slot, const model::Rule& rule,
                                            const item::Map* inputs);
Result<bool> Test(Plan* plan, const Slot& slot, const model::Rule& rule);

}  // namespace monotable::entities

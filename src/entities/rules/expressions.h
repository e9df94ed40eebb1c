#pragma once

#include <optional>

#include "entities/codec/codec.h"
#include "entities/write/plan.h"
#include "error/result.h"
#include "model/rule/rule.h"

// Expressions of a model as a write sees them: about an item of the draft, the items it refers to,
// and its members. Each item that an expression names becomes a slot of the draft.
namespace monotable::entities {

// What the caller of an operation gave, for paths that begin with input. and each.
struct CallScope {
  const Inputs* inputs = nullptr;
  const item::Value* each = nullptr;  // the member of a list that the step is repeated for
};

Result<std::optional<item::Value>> Evaluate(Plan* plan, const Slot& slot, const model::Rule& rule,
                                            const CallScope& given = {});
Result<bool> Test(Plan* plan, const Slot& slot, const model::Rule& rule,
                  const CallScope& given = {});

// A value that was calculated, in the form in which an attribute of that type is stored.
item::Value StoredAs(const model::TypeModel& type, item::Value value);

}  // namespace monotable::entities

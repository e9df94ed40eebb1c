#pragma once

#include <string>

#include "model/model.h"

// The request units of the writes of a model, with everything that its rules add.
namespace monotable::document {

// Units and what they are made of.
struct Units {
  double count = 0;
  std::string how;
};

enum class Verb { kCreate, kUpdate, kDelete };

// A write of one item. An update changes what updates most often change: the state if a key has
// it, and what the parent sums up. A delete takes the members of a collection along.
Units WriteUnitsOf(const model::Model& model, Verb verb, const model::EntityModel& entity,
                   const model::WorkloadModel::Rate& rate);

// A declared operation. `items` of the rate is the number of items in its list, or the number of
// copies that follow.
Units OperationUnits(const model::Model& model, const model::OperationModel& operation,
                     const model::WorkloadModel::Rate& rate);

}  // namespace monotable::document

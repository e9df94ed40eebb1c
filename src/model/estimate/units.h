#pragma once

#include <string>

#include "model/model.h"

// The request units of single reads and writes.
namespace monotable::model {

// The bytes that one unit reads or writes.
inline constexpr double kReadUnit = 4096;
inline constexpr double kWriteUnit = 1024;

// Units and what they are made of.
struct Units {
  double count = 0;
  std::string how;
};

Units PatternUnits(const Model& model, const PatternModel& pattern,
                   const WorkloadModel::Rate& rate);

// A write outside of operations: create, update or delete.
Units CreateUnits(const Model& model, const EntityModel& entity);
Units UpdateUnits(const Model& model, const EntityModel& entity);
Units DeleteUnits(const Model& model, const EntityModel& entity);

Units OperationUnits(const Model& model, const OperationModel& operation,
                     const WorkloadModel::Rate& rate);

}  // namespace monotable::model

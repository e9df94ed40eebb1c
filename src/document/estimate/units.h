#pragma once

#include <string>

#include "model/model.h"

// The request units of single reads and writes.
namespace monotable::document {

// The bytes that one unit reads or writes.
inline constexpr double kReadUnit = 4096;
inline constexpr double kWriteUnit = 1024;

// Units and what they are made of.
struct Units {
  double count = 0;
  std::string how;
};

Units PatternUnits(const model::Model& model, const model::PatternModel& pattern,
                   const model::WorkloadModel::Rate& rate);

// A write outside of operations: create, update or delete.
Units CreateUnits(const model::Model& model, const model::EntityModel& entity);
Units UpdateUnits(const model::Model& model, const model::EntityModel& entity);
Units DeleteUnits(const model::Model& model, const model::EntityModel& entity);

Units OperationUnits(const model::Model& model, const model::OperationModel& operation,
                     const model::WorkloadModel::Rate& rate);

}  // namespace monotable::document

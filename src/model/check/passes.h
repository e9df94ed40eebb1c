#pragma once

#include "model/check/report.h"
#include "model/model.h"

// The checks of CheckModel, by what they look at. docs/models/findings.md explains every id.
namespace monotable::model {

// Whether and how the keys serve the patterns.
void CheckPatterns(const Model& model, Report* report);
// One entity's keys: what identifies its items, and what may be missing or change.
void CheckIdentity(const Model& model, Report* report);
// One entity's keys as text: padding, order, delimiters, length.
void CheckKeyTexts(const Model& model, Report* report);
// Entities that meet in one table or index.
void CheckNamespaces(const Model& model, Report* report);
// Partitions that take more than one partition can, given the workload.
void CheckPartitions(const Model& model, Report* report);
// Tables, their indexes and expiry.
void CheckTables(const Model& model, Report* report);
// Enums as state machines.
void CheckStates(const Model& model, Report* report);
// What the server keeps true: unique values, copies, transactions, sizes.
void CheckWrites(const Model& model, Report* report);
// Whether the tenant is in every partition that can be reached.
void CheckTenancy(const Model& model, Report* report);
// Names that expressions can only use by alias.
void CheckNames(const Model& model, Report* report);

}  // namespace monotable::model

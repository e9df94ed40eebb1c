#pragma once

#include <cstdint>

#include "model/model.h"

// How large items and their index entries are.
namespace monotable::document {

// DynamoDB adds this to every item and every index entry that it stores, but not to what it counts
// for reads and writes.
inline constexpr int64_t kStorageOverhead = 100;

// The size of one item: what the workload says, or a typical one from its attributes.
int64_t ItemBytes(const model::Model& model, const model::EntityModel& entity);

// Whether the entity's items may be in the index.
bool IsInIndex(const model::EntityModel& entity, const model::TableModel& table,
               const model::IndexModel& index);

// The size of an item's entry in an index, by what the index holds.
int64_t EntryBytes(const model::Model& model, const model::EntityModel& entity,
                   const model::IndexModel& index);

// How many items there are after some years; zero if the workload does not say.
double ItemsAfter(const model::Model& model, const model::EntityModel& entity, double years);

// How many of a child there are for each of a parent, by the volumes; 1 if they do not say.
double ItemsPer(const model::Model& model, const model::EntityModel& child,
                const model::EntityModel& parent);

}  // namespace monotable::document

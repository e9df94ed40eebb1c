#pragma once

#include <cstdint>

#include "model/model.h"

// The sizes of items and of their index entries.
namespace monotable::document {

// DynamoDB adds this to the storage of every item and index entry, but not to the size that it
// counts for reads and writes.
inline constexpr int64_t kStorageOverhead = 100;

// The size of one item: the size in the workload, or a typical size from the attributes.
int64_t ItemBytes(const model::Model& model, const model::EntityModel& entity);

// Whether the entity's items may be in the index.
bool IsInIndex(const model::EntityModel& entity, const model::TableModel& table,
               const model::IndexModel& index);

// The size of an item's entry in an index, by what the index holds.
int64_t EntryBytes(const model::Model& model, const model::EntityModel& entity,
                   const model::IndexModel& index);

// The number of items after some years; zero if the workload does not say.
double ItemsAfter(const model::Model& model, const model::EntityModel& entity, double years);

// The number of children for each parent, from the volumes; 1 if they do not say.
double ItemsPer(const model::Model& model, const model::EntityModel& child,
                const model::EntityModel& parent);

// The number of items that keep a copy of one source, from the volumes after one year; 1 if they do
// not say.
double FollowersPer(const model::Model& model, const model::EntityModel& follower,
                    const model::EntityModel& source);

}  // namespace monotable::document

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "entities/application.h"

namespace monotable::entities {

// Items that the rules need beside those of the entities: markers of unique values, counters of ids
// and jobs that go on in the background. They are in the table of their entity, so that they go
// with it wherever it goes, and no entity recognises them.
inline constexpr std::string_view kInternalPrefix = "MONOTABLE#";

// The key of such an item in the table of an entity: its hash attribute is the prefix with the
// name, its range attribute the prefix.
item::Item InternalKey(const Entity& of_table, const std::string& name);
// The key of a job: all jobs of a table are in one partition, so that they can be listed. Nothing
// if the keys of the table cannot spell it: it has no range attribute, or the name is too long for
// one.
inline constexpr std::string_view kJobsPartition = "MONOTABLE#JOBS";
std::optional<item::Item> JobKey(const model::TableModel& table, const std::string& name);
// Whether a key is one of those.
bool IsInternal(const model::TableModel& table, const item::Item& key);

}  // namespace monotable::entities

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/load/context.h"

// Numbers with a unit: 90d, 4KB, 1000/day.
namespace monotable::model {

// Milliseconds of 5ms, 30s, 15m, 12h or 90d; nothing and a finding otherwise.
std::optional<int64_t> ReadDuration(const Node& node, const std::string& subject,
                                    LoadContext* context);
// Bytes of 300, 4KB or 1MB, in units of 1024.
std::optional<int64_t> ReadBytes(const Node& node, const std::string& subject,
                                 LoadContext* context);
// How often a day, of 1000/day, 5/second and the like.
std::optional<double> ReadRate(const Node& node, const std::string& subject, LoadContext* context);
// A count that is not negative.
std::optional<double> ReadCount(const Node& node, const std::string& subject, LoadContext* context);

}  // namespace monotable::model

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "encoding/keyspace.h"

// Sequence numbers of stream records: the place of a change in the log as 35 digits, so that they
// sort by commit, as numbers and as texts.
namespace monotable::operations {

// The places of a commit that there are sequence numbers for; no request writes as many items.
inline constexpr uint32_t kMaxPosition = 9999;

std::string FormatSequenceNumber(const encoding::ChangePosition& position);
// nullopt if the text is not a sequence number of this server.
std::optional<encoding::ChangePosition> ParseSequenceNumber(std::string_view text);

}  // namespace monotable::operations

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "error/result.h"
#include "operations/transfers.h"

// Checks of the parameters that exports and imports share.
namespace monotable::operations {

// Buckets are folders, and keys are paths in these folders. So the name of a bucket must be one
// step of a path, and a prefix must not have a step that leads out of the bucket. The error names
// the member of the request.
Status CheckBucket(std::string_view bucket, std::string_view member);
Status CheckPrefix(const std::optional<std::string>& prefix, std::string_view member);
Status CheckOwner(const std::optional<std::string>& owner, std::string_view member);
Status CheckClientToken(const std::optional<std::string>& token);
Status CheckCsv(const CsvOptions& csv);
// Refuses Amazon Ion, which this server neither writes nor reads.
Status CheckFormat(FileFormat format, std::string_view member);

}  // namespace monotable::operations

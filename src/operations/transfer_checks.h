#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "error/result.h"
#include "operations/transfers.h"

// Checks of the parameters that exports and imports share.
namespace monotable::operations {

// Buckets are folders, and keys are paths in them; so a bucket has one name, and a prefix no step
// that leads elsewhere. The member is how the request calls it, for the error.
Status CheckBucket(std::string_view bucket, std::string_view member);
Status CheckPrefix(const std::optional<std::string>& prefix, std::string_view member);
Status CheckOwner(const std::optional<std::string>& owner, std::string_view member);
Status CheckClientToken(const std::optional<std::string>& token);
Status CheckCsv(const CsvOptions& csv);
// Amazon Ion is not written or read here.
Status CheckFormat(FileFormat format, std::string_view member);

}  // namespace monotable::operations

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"

namespace monotable::api::rest {

struct QueryParameter {
  std::string name;
  std::string value;
};
using QueryParameters = std::vector<QueryParameter>;  // in the order of the request

// The part of a target before the question mark, and the part behind it.
std::string_view PathOf(std::string_view target);
std::string_view QueryOf(std::string_view target);

// Text without its percent escapes; nothing if an escape is broken or the text is no UTF-8.
std::optional<std::string> PercentDecode(std::string_view text);

// The parameters of a query, in which a plus is a blank. Refuses broken escapes.
Result<QueryParameters> ParseQuery(std::string_view query);

// The value of a parameter that may be given once; null if it is not given.
const std::string* FindParameter(const QueryParameters& query, std::string_view name);

}  // namespace monotable::api::rest

#include "operations/tables.h"

namespace monotable::operations {

// The quotas of a new account of the service; nothing here enforces them.
DescribeLimitsResponse DescribeLimits() {
  return {};
}

}  // namespace monotable::operations

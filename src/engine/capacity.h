#pragma once

#include <cstddef>

// Capacity units as the service charges them.
namespace monotable::engine {

// One unit reads 4 KB strongly consistent; half of it eventually consistent; twice in a
// transaction. Reading nothing costs as much as reading the smallest item.
double ReadUnits(size_t bytes, bool consistent);
double TransactionalReadUnits(size_t bytes);

// One unit writes 1 KB; twice in a transaction.
double WriteUnits(size_t bytes);
double TransactionalWriteUnits(size_t bytes);

}  // namespace monotable::engine

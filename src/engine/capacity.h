#pragma once

#include <cstddef>

// Capacity units as the service charges them.
namespace monotable::engine {

// A strongly consistent read costs one unit per 4 KB, an eventually consistent one half of that,
// and a read in a transaction twice as much. Reading nothing costs as much as reading the smallest
// item.
double ReadUnits(size_t bytes, bool consistent);
double TransactionalReadUnits(size_t bytes);

// A write costs one unit per 1 KB, and twice as much in a transaction.
double WriteUnits(size_t bytes);
double TransactionalWriteUnits(size_t bytes);

}  // namespace monotable::engine

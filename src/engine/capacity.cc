#include "engine/capacity.h"

#include <algorithm>

namespace monotable::engine {
namespace {

double Steps(size_t bytes, size_t step) {
  return static_cast<double>(std::max<size_t>(1, (bytes + step - 1) / step));
}

}  // namespace

double ReadUnits(size_t bytes, bool consistent) {
  const double units = Steps(bytes, 4096);
  return consistent ? units : units / 2;
}

double TransactionalReadUnits(size_t bytes) {
  return 2 * Steps(bytes, 4096);
}

double WriteUnits(size_t bytes) {
  return Steps(bytes, 1024);
}

double TransactionalWriteUnits(size_t bytes) {
  return 2 * Steps(bytes, 1024);
}

}  // namespace monotable::engine

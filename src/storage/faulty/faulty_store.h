#pragma once

#include <cstdint>
#include <memory>

#include "storage/store.h"

namespace monotable::storage {

// How often each fault occurs, from 0 (never) to 1 (always). The same seed and the same order of
// calls give the same faults.
struct FaultOptions {
  uint64_t seed = 0;
  double fail_update = 0;    // Done gets an error and nothing is written
  double repeat_decide = 0;  // Decide is first called in vain, with values that may be out of date
  double fail_get = 0;
  double fail_scan = 0;        // a cursor stops somewhere with an error
  double fail_bulk_write = 0;  // Finish fails and nothing is written
  double fail_checkpoint = 0;
  bool reorder_updates = false;  // updates that wait at the same time run in any order, and late
};

// Wraps a store and makes it misbehave within the limits of store.h, so that tests see how the code
// above copes. Thread-safe.
class FaultyStore : public Store {
 public:
  // Each makes the nth call of its kind from now fail; 1 is the next call. A new order replaces a
  // pending one of the same kind.
  virtual void FailUpdate(uint64_t nth) = 0;
  virtual void FailGet(uint64_t nth) = 0;
  virtual void FailScan(uint64_t nth) = 0;
  virtual void FailBulkWrite(uint64_t nth) = 0;  // counts calls of BulkWrite::Finish
  virtual void FailCheckpoint(uint64_t nth) = 0;
};

std::unique_ptr<FaultyStore> NewFaultyStore(std::unique_ptr<Store> store,
                                            const FaultOptions& options = {});

}  // namespace monotable::storage

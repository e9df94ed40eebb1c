#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "storage/store.h"

namespace monotable::storage {

struct MemoryStoreOptions {
  // The wall clock in milliseconds since the epoch. The default is the system's clock.
  std::function<int64_t()> now = nullptr;
};

// A store that keeps its data in memory only, for tests and temporary servers. Thread-safe. Updates
// run one after the other on one thread of the store, so Done is never called on the caller's
// stack.
std::unique_ptr<Store> NewMemoryStore(MemoryStoreOptions options = {});

}  // namespace monotable::storage

#pragma once

#include <atomic>
#include <cstdint>

namespace monotable::work {

// What one client has used lately, in units of the meter. What was used fades: half of it in each
// interval. Clients that use little go before clients that use much. Thread-safe; two threads that
// add at the same moment may lose a part of one addition, which does not matter.
class Account {
 public:
  void Add(uint64_t units);
  // Whether the client has used enough lately to wait behind others.
  bool is_heavy() const;

 private:
  uint64_t Faded(int64_t interval) const;

  std::atomic<uint64_t> units_ = 0;
  std::atomic<int64_t> interval_ = 0;  // of the last addition
};

}  // namespace monotable::work

#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

namespace monotable::http {

// How many bytes the bodies of all connections may take together. Thread-safe.
class MemoryBudget : public std::enable_shared_from_this<MemoryBudget> {
 public:
  explicit MemoryBudget(size_t limit) : limit_(limit) {}

  // A part of the budget, given back when destroyed, on any thread. Not thread-safe itself.
  class Reservation {
   public:
    Reservation() = default;
    Reservation(Reservation&& other) noexcept;
    Reservation& operator=(Reservation&& other) noexcept;
    ~Reservation();

    size_t bytes() const { return bytes_; }
    // Makes the reservation at least that large; false, changing nothing, if the budget is short.
    [[nodiscard]] bool GrowTo(size_t bytes, MemoryBudget& budget);

   private:
    std::shared_ptr<MemoryBudget> budget_;
    size_t bytes_ = 0;
  };

  bool HasRoom(size_t bytes) const { return used() + bytes <= limit_; }
  size_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  const size_t limit_;
  std::atomic<size_t> used_{0};
};

}  // namespace monotable::http

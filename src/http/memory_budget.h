#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

namespace monotable::http {

// How many bytes the requests in flight of a server may take together: bodies that are being
// received, requests that are being worked on, and answers that wait to be sent.
//
// A request needs more memory the further it gets, so each use may fill the budget further than the
// one before: what has begun can end, and small requests are served while large ones wait. Those
// that wait ask again; nobody is called back. Thread-safe.
class MemoryBudget : public std::enable_shared_from_this<MemoryBudget> {
 public:
  enum class Use {
    kLargeBody,  // to receive a large body: up to a third of the budget
    kLargeWork,  // to work on a large request: up to three quarters
    kAny,        // small requests and all answers: up to the whole
  };

  explicit MemoryBudget(size_t limit);

  // A part of the budget that its destructor gives back, on any thread. Not thread-safe itself.
  class Reservation {
   public:
    Reservation() = default;
    Reservation(Reservation&& other) noexcept;
    Reservation& operator=(Reservation&& other) noexcept;
    ~Reservation();

    size_t bytes() const { return bytes_; }
    // Makes the reservation at least that large. Returns false and changes nothing if the budget
    // has no room for that.
    [[nodiscard]] bool GrowTo(size_t bytes, Use use, MemoryBudget& budget);
    // The same for memory that is taken already, even past the limit.
    void GrowAnyway(size_t bytes, MemoryBudget& budget);

   private:
    std::shared_ptr<MemoryBudget> budget_;
    size_t bytes_ = 0;
  };

  size_t used() const { return used_.load(std::memory_order_relaxed); }
  // Those who wait for room say so, because clients that dawdle are not suffered then.
  void BeginWaiting() { waiting_.fetch_add(1, std::memory_order_relaxed); }
  void EndWaiting() { waiting_.fetch_sub(1, std::memory_order_relaxed); }
  bool somebody_waits() const { return waiting_.load(std::memory_order_relaxed) > 0; }

 private:
  const std::array<size_t, 3> limits_;  // by use
  std::atomic<size_t> used_{0};
  std::atomic<size_t> waiting_{0};
};

}  // namespace monotable::http

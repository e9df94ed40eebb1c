#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "error/error.h"

// Counts the work of a request where it is done. One unit is about one byte that is read, compared,
// decoded or printed, which takes about a nanosecond.
//
// Code whose work grows with the data calls Charge before each part of it. What happens when the
// units of a thread are used up is decided by whoever set the meter: a request on an I/O thread is
// stopped and starts again on the executor, a task of the executor lets others go first, and a
// write that is being decided is prepared elsewhere. A thread without a meter works without limit.
namespace monotable::work {

class Meter;

namespace internal {

struct ThreadState {
  int64_t left = std::numeric_limits<int64_t>::max();
  uint64_t kept = 0;
  Meter* meter = nullptr;
};

constinit inline thread_local ThreadState this_thread;

// Asks the meter for more units. Returns false if the work must stop.
bool Refill();

}  // namespace internal

// Announces work. False means that the request must stop: the caller returns at once, with any
// result, and whoever set the meter throws the result away.
[[nodiscard]] inline bool Charge(size_t units) {
  internal::this_thread.left -= static_cast<int64_t>(units);
  return internal::this_thread.left >= 0 || internal::Refill();
}

// The same for bytes that are copied and stay in memory until the request is answered.
[[nodiscard]] inline bool Keep(size_t bytes) {
  internal::this_thread.kept += bytes;
  return Charge(bytes);
}

// What a read from the store costs, beside the bytes that it reads.
inline constexpr size_t kLookupUnits = 1000;
inline constexpr size_t kCursorStepUnits = 200;

// What a request may do on an I/O thread, a fraction of a millisecond: most requests need much
// less, and the other connections of the thread wait meanwhile.
inline constexpr size_t kInlineUnits = 256 * 1024;

// Meters the thread on which it lives, from its construction to its destruction; afterwards the
// thread has the meter that it had before. Not thread-safe.
class Meter {
 public:
  // A meter that stops the work when the units are used up.
  explicit Meter(size_t units);
  virtual ~Meter();
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  // Whether Charge returned false. The result of the work is worth nothing then.
  bool stopped() const { return stopped_; }
  // The units charged so far.
  uint64_t used() const;
  // The bytes that the request keeps in memory (see Keep).
  uint64_t kept() const;
  // What to tell a client whose work was stopped.
  virtual Error StopError() const;

 protected:
  // Called when all units are used up. Returns how many more there are, or 0 to stop the work.
  virtual size_t More() { return 0; }

 private:
  friend bool internal::Refill();

  const internal::ThreadState before_;
  uint64_t granted_;
  bool stopped_ = false;
};

// Whether the work of this thread was stopped, so that its results are worth nothing. Code that
// acts on the outside, such as a write, asks before it acts.
bool Stopped();
// What to tell the client then.
Error StopError();

}  // namespace monotable::work

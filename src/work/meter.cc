#include "work/meter.h"

namespace monotable::work {

namespace internal {

bool Refill() {
  Meter* const meter = this_thread.meter;
  if (meter == nullptr) {
    this_thread.left = std::numeric_limits<int64_t>::max();
    return true;
  }
  while (!meter->stopped_ && this_thread.left < 0) {
    const size_t more = meter->More();
    meter->granted_ += more;
    this_thread.left += static_cast<int64_t>(more);
    meter->stopped_ = more == 0;
  }
  return !meter->stopped_;
}

}  // namespace internal

Meter::Meter(size_t units) : before_(internal::this_thread), granted_(units) {
  internal::this_thread = {static_cast<int64_t>(units), 0, this};
}

Meter::~Meter() {
  internal::this_thread = before_;
}

uint64_t Meter::used() const {
  return granted_ - static_cast<uint64_t>(internal::this_thread.left);
}

uint64_t Meter::kept() const {
  return internal::this_thread.kept;
}

Error Meter::StopError() const {
  return Error(ErrorCode::kUnavailable, "The request was stopped before it was done. Try again.");
}

bool Stopped() {
  return internal::this_thread.meter != nullptr && internal::this_thread.meter->stopped();
}

Error StopError() {
  return internal::this_thread.meter->StopError();
}

}  // namespace monotable::work

#include "http/memory_budget.h"

#include <utility>

namespace monotable::http {

MemoryBudget::MemoryBudget(size_t limit) : limits_{limit / 3, limit / 4 * 3, limit} {}

MemoryBudget::Reservation::Reservation(Reservation&& other) noexcept
    : budget_(std::move(other.budget_)), bytes_(std::exchange(other.bytes_, 0)) {}

MemoryBudget::Reservation& MemoryBudget::Reservation::operator=(Reservation&& other) noexcept {
  Reservation taken(std::move(other));
  std::swap(budget_, taken.budget_);
  std::swap(bytes_, taken.bytes_);
  return *this;
}

MemoryBudget::Reservation::~Reservation() {
  if (budget_) budget_->used_.fetch_sub(bytes_, std::memory_order_relaxed);
}

bool MemoryBudget::Reservation::GrowTo(size_t bytes, Use use, MemoryBudget& budget) {
  if (bytes <= bytes_) return true;
  const size_t more = bytes - bytes_;
  const size_t limit = budget.limits_[static_cast<size_t>(use)];
  if (budget.used_.fetch_add(more, std::memory_order_relaxed) + more > limit) {
    budget.used_.fetch_sub(more, std::memory_order_relaxed);
    return false;
  }
  if (!budget_) budget_ = budget.shared_from_this();
  bytes_ = bytes;
  return true;
}

void MemoryBudget::Reservation::GrowAnyway(size_t bytes, MemoryBudget& budget) {
  if (bytes <= bytes_) return;
  budget.used_.fetch_add(bytes - bytes_, std::memory_order_relaxed);
  if (!budget_) budget_ = budget.shared_from_this();
  bytes_ = bytes;
}

}  // namespace monotable::http

#include "http/memory_budget.h"

#include <utility>

namespace monotable::http {

MemoryBudget::Reservation::Reservation(Reservation&& other) noexcept
    : budget_(std::move(other.budget_)), bytes_(std::exchange(other.bytes_, 0)) {}

MemoryBudget::Reservation& MemoryBudget::Reservation::operator=(Reservation&& other) noexcept {
  std::swap(budget_, other.budget_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

MemoryBudget::Reservation::~Reservation() {
  if (budget_) budget_->used_.fetch_sub(bytes_, std::memory_order_relaxed);
}

bool MemoryBudget::Reservation::GrowTo(size_t bytes, MemoryBudget& budget) {
  if (bytes <= bytes_) return true;
  const size_t more = bytes - bytes_;
  if (budget.used_.fetch_add(more, std::memory_order_relaxed) + more > budget.limit_) {
    budget.used_.fetch_sub(more, std::memory_order_relaxed);
    return false;
  }
  if (!budget_) budget_ = budget.shared_from_this();
  bytes_ = bytes;
  return true;
}

}  // namespace monotable::http

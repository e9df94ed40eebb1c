#include "http/message.h"

#include <utility>

#include "text/words.h"

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

Request::Request(std::unique_ptr<Storage> storage) : storage_(std::move(storage)) {}
Request::Request(Request&&) noexcept = default;
Request& Request::operator=(Request&&) noexcept = default;
Request::~Request() = default;

std::string_view Request::method() const {
  return storage_->method;
}

std::string_view Request::target() const {
  return storage_->target;
}

const std::vector<Header>& Request::headers() const {
  return storage_->headers;
}

std::string_view Request::header(std::string_view name) const {
  for (const Header& header : storage_->headers) {
    if (text::EqualsIgnoringCase(header.name, name)) return header.value;
  }
  return {};
}

std::string_view Request::body() const {
  return storage_->body;
}

Response Handler::HandleProtocolError(int status, std::string_view reason, std::string_view) {
  Response response;
  response.status = status;
  response.content_type = "text/plain";
  response.body.append(reason).append("\n");
  return response;
}

}  // namespace monotable::http

#include "http/message.h"

#include <utility>

#include "text/words.h"

namespace monotable::http {

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

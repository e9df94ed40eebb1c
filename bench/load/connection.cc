#include "load/connection.h"

#include <cerrno>
#include <cstring>

#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace monotable::load {

Connection::~Connection() {
  Close();
}

Status Connection::Connect(const sockaddr_in& address) {
  Close();
  response_.Clear();
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  if (socket_ < 0 ||
      connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0) {
    return Error::Internal(std::string("Cannot connect: ") + std::strerror(errno));
  }
  return {};
}

std::string& Connection::BeginRequest() {
  response_.Clear();
  request_.clear();
  sent_ = 0;
  return request_;
}

Connection::Sent Connection::Flush() {
  const ssize_t count =
      send(socket_, request_.data() + sent_, request_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (count < 0) return errno == EAGAIN ? Sent::kPart : Sent::kBroken;
  sent_ += static_cast<size_t>(count);
  return sent_ == request_.size() ? Sent::kAll : Sent::kPart;
}

Connection::Received Connection::Receive() {
  char* space = response_.space();
  const ssize_t count = recv(socket_, space, response_.space_size(), MSG_DONTWAIT);
  if (count < 0 && errno == EAGAIN) return Received::kIncomplete;
  if (count <= 0) return Received::kBroken;
  switch (response_.Take(static_cast<size_t>(count))) {
    case Response::State::kIncomplete:
      return Received::kIncomplete;
    case Response::State::kComplete:
      return Received::kAnswer;
    case Response::State::kMalformed:
      break;
  }
  return Received::kBroken;
}

void Connection::Close() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
}

}  // namespace monotable::load

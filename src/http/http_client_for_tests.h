#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "http/file_descriptor.h"

namespace monotable::http {

// A blocking client on a bare socket, for tests that send exactly the bytes they mean. Waits ten
// seconds at most.
class TestClient {
 public:
  struct Answer {
    int status = 0;
    std::string head;
    std::string body;
  };

  explicit TestClient(uint16_t port, const char* address = "127.0.0.1");
  // A client that has its socket and connects when ConnectNow is called.
  struct Later {};
  TestClient(uint16_t port, Later later);
  bool ConnectNow();

  bool connected() const { return static_cast<bool>(socket_); }
  // False if the server has closed.
  bool Send(std::string_view bytes);
  // Tells the server that no more bytes will come.
  void FinishSending();
  void SetReceiveBuffer(int bytes);
  // Whether the server has sent or closed; waits so long for it.
  bool HasInput(std::chrono::milliseconds wait) const;
  // The next answer with a Content-Length, or nullopt if the connection ended before.
  std::optional<Answer> Receive(bool has_body = true);
  // Everything until the server closes.
  std::string ReceiveAll();
  // Sends a POST with a body and receives its answer.
  std::optional<Answer> Post(std::string_view body);
  // Closes the connection; with reset, as a client that crashes does.
  void Close(bool reset = false);

 private:
  void Open(int family);
  bool ReadMore();

  sockaddr_in v4_{};
  FileDescriptor socket_;
  std::string buffer_;
};

inline std::string PostBytes(std::string_view body);

inline TestClient::TestClient(uint16_t port, const char* address) {
  sockaddr_in6 v6{};
  const bool is_v6 = std::strchr(address, ':') != nullptr;
  Open(is_v6 ? AF_INET6 : AF_INET);
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  v4_.sin_family = AF_INET;
  v4_.sin_port = htons(port);
  inet_pton(AF_INET6, address, &v6.sin6_addr);
  inet_pton(AF_INET, address, &v4_.sin_addr);
  if (!is_v6) {
    ConnectNow();
  } else if (connect(socket_.get(), reinterpret_cast<sockaddr*>(&v6), sizeof(v6)) != 0) {
    socket_.Close();
  }
}

inline TestClient::TestClient(uint16_t port, Later) {
  Open(AF_INET);
  v4_.sin_family = AF_INET;
  v4_.sin_port = htons(port);
  v4_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
}

inline void TestClient::Open(int family) {
  socket_ = FileDescriptor(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval limit{10, 0};
  setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

inline bool TestClient::ConnectNow() {
  if (connect(socket_.get(), reinterpret_cast<sockaddr*>(&v4_), sizeof(v4_)) != 0) socket_.Close();
  return connected();
}

inline bool TestClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

inline void TestClient::FinishSending() {
  shutdown(socket_.get(), SHUT_WR);
}

inline void TestClient::SetReceiveBuffer(int bytes) {
  setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

inline bool TestClient::HasInput(std::chrono::milliseconds wait) const {
  if (!buffer_.empty()) return true;
  pollfd polled{socket_.get(), POLLIN, 0};
  return poll(&polled, 1, static_cast<int>(wait.count())) > 0;
}

inline bool TestClient::ReadMore() {
  char bytes[16384];
  const ssize_t received = recv(socket_.get(), bytes, sizeof(bytes), 0);
  if (received <= 0) return false;
  buffer_.append(bytes, static_cast<size_t>(received));
  return true;
}

inline std::optional<TestClient::Answer> TestClient::Receive(bool has_body) {
  size_t end = 0;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
    if (!ReadMore()) return std::nullopt;
  }
  Answer answer;
  answer.head = buffer_.substr(0, end + 4);
  answer.status = std::atoi(answer.head.c_str() + 9);
  buffer_.erase(0, end + 4);
  const size_t at = answer.head.find("Content-Length: ");
  const size_t length =
      at == std::string::npos || !has_body ? 0 : std::strtoul(&answer.head[at + 16], nullptr, 10);
  while (buffer_.size() < length) {
    if (!ReadMore()) return std::nullopt;
  }
  answer.body = buffer_.substr(0, length);
  buffer_.erase(0, length);
  return answer;
}

inline std::string TestClient::ReceiveAll() {
  while (ReadMore()) {
  }
  return std::move(buffer_);
}

inline std::optional<TestClient::Answer> TestClient::Post(std::string_view body) {
  if (!Send(PostBytes(body))) return std::nullopt;
  return Receive();
}

inline void TestClient::Close(bool reset) {
  const linger how{1, 0};
  if (reset) setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &how, sizeof(how));
  socket_.Close();
}

inline std::string PostBytes(std::string_view body) {
  return fmt::format("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{}",
                     body.size(), body);
}

}  // namespace monotable::http

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "error/result.h"
#include "http/message.h"

// HTTP/1.1 on epoll; knows no DynamoDB.
namespace monotable::http {

struct ServerOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 8000;  // 0 picks a free one
  size_t threads = 0;    // 0: one per core
  size_t max_body_bytes = 16 * 1024 * 1024;
  size_t max_header_bytes = 64 * 1024;
  // Past it, the longest idle connection makes room for a new client. If none is idle, the client
  // is answered with 503.
  size_t max_connections = 10000;
  // For all requests in flight together; see http/memory_budget.h. Requests wait for memory, and
  // are answered with 503 if they wait too long. The server takes at least what one request of the
  // largest size needs.
  size_t request_memory_bytes = 512ULL * 1024 * 1024;
  std::chrono::milliseconds memory_wait{5000};
  std::chrono::milliseconds idle_timeout{75000};
  std::chrono::milliseconds header_timeout{10000};  // from the first byte to the end of the headers
  std::chrono::milliseconds body_timeout{30000};    // to the end of the body
  std::chrono::milliseconds write_timeout{30000};   // for the client to take the answer
};

// How many file descriptors a server takes for so many connections.
size_t DescriptorsFor(const ServerOptions& options);

// Serves HTTP requests on threads of its own until it is drained or destroyed. Thread-safe.
class Server {
 public:
  Server(ServerOptions options, Handler& handler);
  ~Server();

  // Binds, listens and serves. An address in use is an error that says so in one line.
  Status Start();
  uint16_t port() const;
  // Stops accepting, lets requests in flight be answered (Connection: close), and returns when all
  // are done or the time is over.
  void Drain(std::chrono::milliseconds limit);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace monotable::http

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "error/result.h"

// HTTP/1.1 on epoll; knows no DynamoDB.
namespace monotable::http {

struct Header {
  std::string_view name;   // as sent; compare without regard to case
  std::string_view value;  // without surrounding blanks
};

// A complete request. Owns its bytes; movable. Views hold as long as the request lives, also after
// it was moved.
class Request {
 public:
  struct Storage;
  explicit Request(std::unique_ptr<Storage> storage);
  Request(Request&&) noexcept;
  Request& operator=(Request&&) noexcept;
  ~Request();

  std::string_view method() const;
  std::string_view target() const;  // path and query as sent
  const std::vector<Header>& headers() const;
  // The first header of that name (any case), or an empty view with a null data pointer.
  std::string_view header(std::string_view name) const;
  // At least kPadding readable bytes follow the body, as simdjson wants.
  std::string_view body() const;
  static constexpr size_t kPadding = 64;

 private:
  std::unique_ptr<Storage> storage_;
};

struct Response {
  int status = 200;
  std::string content_type;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  bool close = false;  // announce and close the connection afterwards
};

// Answers one request: Send once, from any thread, also after the client has gone. Copies share
// the same answer. A responder that is dropped without Send answers 500.
class Responder {
 public:
  class Target;
  explicit Responder(std::shared_ptr<Target> target);
  void Send(Response response) const;
  // Has the answer made on the I/O thread that sends it, for callers whose thread others wait for.
  void SendMade(std::function<Response()> make) const;
  // Keeps an object alive until the answer is made and no copy of the responder is left. Before the
  // responder is copied.
  void Keep(std::shared_ptr<const void> kept) const;

 private:
  std::shared_ptr<Target> target_;
};

// Called on an I/O thread: must not block. Must be thread-safe.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual void Handle(Request request, Responder responder) = 0;
  // Shapes the answer to a request that never reached Handle (malformed, too large, too slow) or
  // whose responder was dropped. Reason is a sentence for the client. By default it is the body,
  // as plain text. The target is empty if it is not known. Whether the connection closes afterwards
  // is not for the handler to say.
  virtual Response HandleProtocolError(int status, std::string_view reason,
                                       std::string_view target);
};

struct ServerOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 8000;  // 0 picks a free one
  size_t threads = 0;    // 0: one per core
  size_t max_body_bytes = 16 * 1024 * 1024;
  size_t max_header_bytes = 64 * 1024;
  size_t max_connections = 10000;
  // Bodies of all connections together; past it new large bodies are answered with 503.
  size_t max_buffered_bytes = 512ULL * 1024 * 1024;
  std::chrono::milliseconds idle_timeout{75000};
  std::chrono::milliseconds header_timeout{10000};  // from the first byte to the end of the headers
  std::chrono::milliseconds body_timeout{30000};    // to the end of the body
  std::chrono::milliseconds write_timeout{30000};   // for the client to take the answer
};

// Thread-safe.
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

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/memory_budget.h"
#include "work/client.h"

// What a server and its handlers hand to each other: requests, responses and the way back.
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
  std::string_view target() const;  // path and query as sent, or * of OPTIONS
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
  // Sends an answer that the I/O thread makes, for callers on a thread that must not be held up.
  void SendMade(std::function<Response()> make) const;
  // Keeps an object alive until the answer is made and no copy of the responder is left. Call it
  // before the responder is copied.
  void Keep(std::shared_ptr<const void> kept) const;
  // Whether nobody waits for the answer any more, so that long work for it may stop: the client has
  // closed its connection or at least its side of it, the connection was closed for another reason,
  // or the server stops without waiting. A client that closed only its own side still gets the
  // answer if there is one. A client that sent more requests ahead than the kernel takes is noticed
  // late, because its end waits behind them. Cheap enough to ask often.
  bool abandoned() const;
  // The client as the executor sees it. All requests of a connection have the same account.
  work::ClientPtr client() const;

 private:
  std::shared_ptr<Target> target_;
};

// Handles the requests of a server. The functions are called on I/O threads, so they must not
// block, and they must be thread-safe.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual void Handle(Request request, Responder responder) = 0;
  // Makes the answer to a request that never reached Handle (malformed, too large, too slow) or
  // whose responder was dropped. `reason` is a sentence for the client; the default answer has it
  // as its body, in plain text. `target` is empty if it is not known. The handler cannot decide
  // whether the connection closes afterwards.
  virtual Response HandleProtocolError(int status, std::string_view reason,
                                       std::string_view target);
};

// The bytes of a request and the views of them. Never moves: requests hold it by pointer.
struct Request::Storage {
  std::unique_ptr<char[]> head;
  std::string_view method;
  std::string_view target;
  std::vector<Header> headers;
  // Its capacity exceeds its size by Request::kPadding or more.
  std::string body;
  // The part of the server's budget that the request takes until it is destroyed.
  MemoryBudget::Reservation reservation;
};

}  // namespace monotable::http

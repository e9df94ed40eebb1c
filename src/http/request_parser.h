#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "http/chunked.h"
#include "http/head.h"
#include "http/request_storage.h"

namespace monotable::http {

// Turns the bytes of a connection into requests, however they are split. Does no I/O and takes
// memory only as bytes arrive: a request that announces a large body and sends none costs nothing.
// Not thread-safe.
class RequestParser {
 public:
  // The body of most requests is at most this and is allocated once; larger ones grow by doubling.
  static constexpr size_t kSmallBodyBytes = 64 * 1024;

  struct Limits {
    size_t max_head_bytes = 0;
    size_t max_body_bytes = 0;
  };
  enum class State {
    kIdle,      // no byte of a request yet
    kHead,      // within a head
    kHeadDone,  // reported once, before the body; feed on
    kBody,      // within a body
    kDone,      // complete: Take it before feeding more
    kFailed,    // see error(); final
  };

  explicit RequestParser(Limits limits) : limits_(limits) {}

  // Takes bytes up to the next change of state to kHeadDone, kDone or kFailed, and returns how many
  // it took. After kHeadDone it goes on even with no bytes, as a body may be empty.
  size_t Feed(std::string_view bytes);

  State state() const { return state_; }
  const ProtocolError& error() const { return error_; }
  // Of the current request, from kHeadDone until the next one begins.
  const Framing& framing() const { return framing_; }
  bool is_head_request() const { return is_head_request_; }
  // Empty if its head was not understood.
  std::string_view target() const { return storage_ ? storage_->target : failed_target_; }
  // What the body has taken so far.
  size_t body_capacity() const { return storage_ ? storage_->body.capacity() : 0; }

  // The request, once it is complete; the parser is idle then.
  std::unique_ptr<Request::Storage> Take();

 private:
  size_t FeedHead(std::string_view bytes);
  size_t FeedFixedBody(std::string_view bytes);
  size_t FeedChunkedBody(std::string_view bytes);
  void FinishHead(std::string_view head);
  bool AppendBody(std::string_view data);
  void Fail(int status, std::string_view reason);

  const Limits limits_;
  State state_ = State::kIdle;
  ProtocolError error_;
  std::string failed_target_;  // of a request that failed after its head
  std::string partial_head_;   // of a head that did not come in one piece
  std::unique_ptr<Request::Storage> storage_;
  Framing framing_;
  bool is_head_request_ = false;
  ChunkedDecoder decoder_;
};

}  // namespace monotable::http

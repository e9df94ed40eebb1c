#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "http/message.h"

namespace monotable::http {

// Why a request cannot be served, for the answer: an HTTP status and a sentence.
struct ProtocolError {
  int status = 0;
  std::string_view reason;  // static
};

// What the head of a request says beyond the request itself: how its body is framed and what
// becomes of the connection.
struct Framing {
  int minor_version = 1;  // HTTP/1.0 or HTTP/1.1
  bool keep_alive = true;
  bool expects_continue = false;
  bool chunked = false;
  uint64_t content_length = 0;  // saturates; zero when absent or chunked
};

// Removes the framing of a chunked body piece by piece, without copying: Next says which of the
// given bytes are data. Extensions and trailers are skipped, within limits. Not thread-safe.
class ChunkedDecoder {
 public:
  enum class Outcome {
    kNeedMore,  // all bytes were consumed and the body is not complete
    kData,      // `data` is the next piece of the body
    kDone,      // the body is complete
    kMalformed,
  };
  struct Piece {
    Outcome outcome = Outcome::kNeedMore;
    size_t consumed = 0;    // including the data
    std::string_view data;  // with kData; points into the given bytes
  };

  // The largest number of bytes of all trailers, or of one chunk's size and extensions.
  static constexpr size_t kMaxLineBytes = 8 * 1024;

  Piece Next(std::string_view bytes);

 private:
  enum class State {
    kSize,         // in the digits of a chunk's size
    kExtension,    // after them, up to the carriage return
    kSizeEnd,      // at the line feed of the size line
    kData,         // in the data of a chunk
    kDataReturn,   // at the carriage return after the data
    kDataFeed,     // at the line feed after it
    kTrailer,      // at the beginning of a trailer line, or of the last, empty line
    kTrailerLine,  // within a trailer line
    kTrailerFeed,  // at the line feed of a trailer line
    kLastFeed,     // at the line feed that ends the body
    kDone,
    kMalformed,
  };

  // The state after one byte of framing.
  State Step(char c);
  State StepSize(char c);

  State state_ = State::kSize;
  uint64_t remaining_ = 0;  // of the chunk
  int digits_ = 0;
  size_t line_bytes_ = 0;
};

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
    kHeadDone,  // reported once, before the body; call Feed again
    kBody,      // within a body
    kDone,      // complete: Take it before feeding more
    kFailed,    // see error(); final
  };

  explicit RequestParser(Limits limits) : limits_(limits) {}

  // Consumes bytes until the state changes to kHeadDone, kDone or kFailed, and returns how many it
  // consumed. After kHeadDone it must be called again even without bytes, because a body may be
  // empty.
  size_t Feed(std::string_view bytes);

  State state() const { return state_; }
  const ProtocolError& error() const { return error_; }
  // The framing of the current request, from kHeadDone until the next request begins.
  const Framing& framing() const { return framing_; }
  bool is_head_request() const { return is_head_request_; }
  // Empty if its head was not understood.
  std::string_view target() const { return storage_ ? storage_->target : failed_target_; }
  // The memory that the current request has taken so far.
  size_t bytes_taken() const;
  // The part of the body that is there.
  size_t body_bytes() const { return storage_ ? storage_->body.size() : 0; }

  // The request, once it is complete; the parser is idle then.
  std::unique_ptr<Request::Storage> Take();
  // Gives back the memory of a request that will not be served. Nothing may be fed any more.
  void Discard();

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
  size_t head_bytes_ = 0;  // of the storage
  Framing framing_;
  bool is_head_request_ = false;
  ChunkedDecoder decoder_;
};

}  // namespace monotable::http

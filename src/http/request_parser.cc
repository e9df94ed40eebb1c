#include "http/request_parser.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace monotable::http {
size_t RequestParser::Feed(std::string_view bytes) {
  switch (state_) {
    case State::kIdle:
    case State::kHead:
      return FeedHead(bytes);
    case State::kHeadDone:
    case State::kBody:
      state_ = State::kBody;
      return framing_.chunked ? FeedChunkedBody(bytes) : FeedFixedBody(bytes);
    case State::kDone:
    case State::kFailed:
      break;
  }
  return 0;
}

size_t RequestParser::FeedHead(std::string_view bytes) {
  size_t skipped = 0;
  if (state_ == State::kIdle) {
    // Empty lines before a request line are ignored, as RFC 9112 section 2.2 asks of servers.
    while (skipped < bytes.size() && (bytes[skipped] == '\r' || bytes[skipped] == '\n')) ++skipped;
    bytes.remove_prefix(skipped);
    if (bytes.empty()) return skipped;
    if (!IsTokenByte(bytes[0])) {
      Fail(400, "The request line is malformed.");
      return skipped;
    }
    state_ = State::kHead;
    framing_ = {};
    is_head_request_ = false;
  }
  const size_t before = partial_head_.size();
  if (before == 0) {
    const size_t whole = FindHeadEnd(bytes, 0);
    if (whole != 0 && whole <= limits_.max_head_bytes) {
      FinishHead(bytes.substr(0, whole));
      return skipped + whole;
    }
  }
  // No more than the limit is ever kept, whatever the size of the piece.
  const size_t room = limits_.max_head_bytes - before;
  const size_t taken = std::min(bytes.size(), room);
  partial_head_.append(bytes.substr(0, taken));
  const size_t end = FindHeadEnd(partial_head_, before);
  if (end == 0) {
    if (taken == room) Fail(431, "The request line and headers are too large.");
    return skipped + taken;
  }
  const std::string head = std::exchange(partial_head_, {});
  FinishHead(std::string_view(head).substr(0, end));
  return skipped + (end - before);
}

void RequestParser::FinishHead(std::string_view bytes) {
  storage_ = std::make_unique<Request::Storage>();
  storage_->head.reset(new char[bytes.size()]);
  std::memcpy(storage_->head.get(), bytes.data(), bytes.size());
  RequestHead head;
  if (const auto error = ParseHead({storage_->head.get(), bytes.size()}, &head)) {
    Fail(error->status, error->reason);
    return;
  }
  storage_->method = head.method;
  storage_->target = head.target;
  storage_->headers = std::move(head.headers);
  framing_ = head.framing;
  is_head_request_ = head.method == "HEAD";
  decoder_ = {};
  if (framing_.content_length > limits_.max_body_bytes) {
    Fail(413, "The request body is too large.");
    return;
  }
  state_ = State::kHeadDone;
}

size_t RequestParser::FeedFixedBody(std::string_view bytes) {
  const size_t missing = framing_.content_length - storage_->body.size();
  const size_t taken = std::min(missing, bytes.size());
  if (taken > 0 || missing == 0) AppendBody(bytes.substr(0, taken));
  if (taken == missing) state_ = State::kDone;
  return taken;
}

size_t RequestParser::FeedChunkedBody(std::string_view bytes) {
  size_t taken = 0;
  while (true) {
    const ChunkedDecoder::Piece piece = decoder_.Next(bytes.substr(taken));
    taken += piece.consumed;
    switch (piece.outcome) {
      case ChunkedDecoder::Outcome::kNeedMore:
        return taken;
      case ChunkedDecoder::Outcome::kData:
        if (!AppendBody(piece.data)) {
          Fail(413, "The request body is too large.");
          return taken;
        }
        break;
      case ChunkedDecoder::Outcome::kDone:
        AppendBody({});
        state_ = State::kDone;
        return taken;
      case ChunkedDecoder::Outcome::kMalformed:
        Fail(400, "The chunked body is malformed.");
        return taken;
    }
  }
}

bool RequestParser::AppendBody(std::string_view data) {
  std::string& body = storage_->body;
  const size_t size = body.size() + data.size();
  if (size > limits_.max_body_bytes) return false;
  if (body.capacity() < size + Request::kPadding) {
    const size_t expected = framing_.chunked ? 0 : framing_.content_length;
    const size_t first = std::min(expected, kSmallBodyBytes);
    // Twice what is there, but not past what was announced.
    size_t grown = body.empty() ? first : 2 * body.capacity();
    if (expected != 0) grown = std::min(grown, expected);
    body.reserve(std::max(size, grown) + Request::kPadding);
  }
  body.append(data);
  return true;
}

void RequestParser::Fail(int status, std::string_view reason) {
  state_ = State::kFailed;
  error_ = {status, reason};
  if (storage_) failed_target_ = storage_->target;
  storage_.reset();
  partial_head_ = {};
}

std::unique_ptr<Request::Storage> RequestParser::Take() {
  state_ = State::kIdle;
  return std::move(storage_);
}

}  // namespace monotable::http

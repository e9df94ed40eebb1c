#include "http/chunked.h"

#include <algorithm>

#include "text/characters.h"

namespace monotable::http {
namespace {

// Sixteen digits would be 64 bits; no limit on bodies comes near, and fewer cannot overflow.
constexpr int kMaxDigits = 15;

// Tab is the only control character that extensions and trailers may hold.
bool IsLineByte(char c) {
  const auto byte = static_cast<uint8_t>(c);
  return c == '\t' || (byte >= 0x20 && byte != 0x7f);
}

}  // namespace

ChunkedDecoder::Piece ChunkedDecoder::Next(std::string_view bytes) {
  size_t at = 0;
  while (at < bytes.size() && state_ != State::kDone && state_ != State::kMalformed) {
    if (state_ == State::kData) {
      const size_t length = std::min<uint64_t>(remaining_, bytes.size() - at);
      remaining_ -= length;
      if (remaining_ == 0) state_ = State::kDataReturn;
      return {Outcome::kData, at + length, bytes.substr(at, length)};
    }
    state_ = ++line_bytes_ > kMaxLineBytes ? State::kMalformed : Step(bytes[at]);
    ++at;
  }
  if (state_ == State::kDone) return {Outcome::kDone, at, {}};
  if (state_ == State::kMalformed) return {Outcome::kMalformed, at, {}};
  return {Outcome::kNeedMore, at, {}};
}

ChunkedDecoder::State ChunkedDecoder::StepSize(char c) {
  if (const int digit = text::HexDigit(c); digit >= 0) {
    if (++digits_ > kMaxDigits) return State::kMalformed;
    remaining_ = remaining_ * 16 + static_cast<uint64_t>(digit);
    return State::kSize;
  }
  if (digits_ == 0) return State::kMalformed;
  if (c == '\r') return State::kSizeEnd;
  return c == ';' || c == ' ' || c == '\t' ? State::kExtension : State::kMalformed;
}

ChunkedDecoder::State ChunkedDecoder::Step(char c) {
  switch (state_) {
    case State::kSize:
      return StepSize(c);
    case State::kExtension:
      if (c == '\r') return State::kSizeEnd;
      return IsLineByte(c) ? State::kExtension : State::kMalformed;
    case State::kSizeEnd:
      if (c != '\n') return State::kMalformed;
      line_bytes_ = 0;
      return remaining_ == 0 ? State::kTrailer : State::kData;
    case State::kDataReturn:
      return c == '\r' ? State::kDataFeed : State::kMalformed;
    case State::kDataFeed:
      if (c != '\n') return State::kMalformed;
      digits_ = 0;
      line_bytes_ = 0;
      return State::kSize;
    case State::kTrailer:
      if (c == '\r') return State::kLastFeed;
      return IsLineByte(c) ? State::kTrailerLine : State::kMalformed;
    case State::kTrailerLine:
      if (c == '\r') return State::kTrailerFeed;
      return IsLineByte(c) ? State::kTrailerLine : State::kMalformed;
    case State::kTrailerFeed:
      return c == '\n' ? State::kTrailer : State::kMalformed;
    case State::kLastFeed:
      return c == '\n' ? State::kDone : State::kMalformed;
    case State::kData:
    case State::kDone:
    case State::kMalformed:
      break;
  }
  return State::kMalformed;
}

}  // namespace monotable::http

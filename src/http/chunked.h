#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace monotable::http {

// Takes the framing off a chunked body, piece by piece and in place of nothing: Next says which of
// the given bytes are data. Extensions and trailers are skipped, within limits. Pure.
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

  // Bytes of trailers, or of one chunk's size and extensions, at most.
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

}  // namespace monotable::http

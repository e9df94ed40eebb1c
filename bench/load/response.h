#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace monotable::load {

// One HTTP response, as far as a load generator must understand it: the status and the body, whose
// length the head tells or whose chunks do. Buffers are kept from one response to the next.
class Response {
 public:
  // Where the next bytes are to be read; never empty.
  char* space();
  size_t space_size() const { return buffer_.size() - filled_; }

  enum class State { kIncomplete, kComplete, kMalformed };
  // Takes the bytes that were read into space().
  State Take(size_t count);

  // Of a complete response.
  int status() const { return status_; }
  std::string_view body() const { return body_; }

  // Makes ready for the next response.
  void Clear();

 private:
  bool ParseHead(std::string_view head);
  State TakeChunks();

  std::vector<char> buffer_ = std::vector<char>(16 * 1024);
  size_t filled_ = 0;
  // 0 until the head is complete.
  size_t head_size_ = 0;
  int status_ = 0;
  // Absent when the body is chunked.
  std::optional<size_t> content_length_;
  size_t next_chunk_ = 0;
  std::string chunks_;
  std::string_view body_;
};

}  // namespace monotable::load

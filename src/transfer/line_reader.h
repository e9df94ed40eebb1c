#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "error/result.h"
#include "transfer/byte_source.h"

namespace monotable::transfer {

// Longer than any item can be: an item of 400 KB takes six bytes for one in the worst case.
inline constexpr size_t kMaxLineBytes = 4 * 1024 * 1024;

// The lines of a source, which may be of any length: of one that is too long for an item, nothing
// is kept. Memory is bounded by the longest line. Not thread-safe.
class LineReader {
 public:
  explicit LineReader(std::unique_ptr<ByteSource> source, size_t max_line_bytes = kMaxLineBytes);

  struct Line {
    std::string_view text;  // without its line feed; holds until the next call
    bool too_long = false;
  };
  // Nullopt at the end. As many bytes can be read behind a line as JSON's parser asks for.
  Result<std::optional<Line>> Next();

  int64_t bytes_read() const { return bytes_read_; }

 private:
  // Reads more behind what is kept; false at the end.
  Result<bool> Fill();
  Line Take(size_t length);

  std::unique_ptr<ByteSource> source_;
  const size_t max_line_bytes_;
  std::string buffer_;
  size_t begin_ = 0;  // of what is kept in the buffer
  size_t end_ = 0;
  int64_t bytes_read_ = 0;
  bool first_line_ = true;
};

}  // namespace monotable::transfer

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "error/result.h"
#include "http/file_descriptor.h"
#include "operations/transfers.h"

// Bytes of a stored object, decompressed, and their lines.
namespace monotable::transfer {

// The bytes of an object in order, however they are stored. Not thread-safe.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills some of the space, which must not be empty, and returns the number of bytes; 0 at the
  // end. Returns an error if the stored bytes are damaged or cut short.
  virtual Result<size_t> Read(std::span<char> space) = 0;
};

// The contents of a file, decompressed. A file may hold several gzip members or Zstandard frames;
// its contents are theirs, one after the other.
Result<std::unique_ptr<ByteSource>> OpenByteSource(http::FileDescriptor file,
                                                   operations::Compression compression);

// Longer than any item can be: an item of 400 KB takes six bytes for one in the worst case.
inline constexpr size_t kMaxLineBytes = 4 * 1024 * 1024;

// The lines of a source. A line may have any length, but nothing is kept of a line that is too long
// for an item. The longest line bounds the memory. Not thread-safe.
class LineReader {
 public:
  explicit LineReader(std::unique_ptr<ByteSource> source, size_t max_line_bytes = kMaxLineBytes);

  struct Line {
    std::string_view text;  // without its line feed; holds until the next call
    bool too_long = false;
  };
  // Nullopt at the end. The padding that the JSON parser needs follows each line.
  Result<std::optional<Line>> Next();

  int64_t bytes_read() const { return bytes_read_; }

 private:
  // Reads more bytes after those in the buffer; false at the end.
  Result<bool> Fill();
  Line Take(size_t length);

  std::unique_ptr<ByteSource> source_;
  const size_t max_line_bytes_;
  std::string buffer_;
  size_t begin_ = 0;  // of the bytes in the buffer that are not used yet
  size_t end_ = 0;
  int64_t bytes_read_ = 0;
  bool first_line_ = true;
};

}  // namespace monotable::transfer

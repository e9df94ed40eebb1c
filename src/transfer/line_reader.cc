#include "transfer/line_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <zlib.h>
#include <zstd.h>

#include "json/parse.h"

namespace monotable::transfer {
namespace {

constexpr size_t kInputBytes = 128 * 1024;

class FileSource final : public ByteSource {
 public:
  explicit FileSource(http::FileDescriptor file) : file_(std::move(file)) {}

  Result<size_t> Read(std::span<char> space) override {
    for (;;) {
      const ssize_t got = read(file_.get(), space.data(), space.size());
      if (got >= 0) return static_cast<size_t>(got);
      if (errno != EINTR) {
        return Error::Internal(std::string("Cannot read the file: ") + std::strerror(errno));
      }
    }
  }

 private:
  http::FileDescriptor file_;
};

// A buffer of compressed bytes from a file, for a decompressor to take bytes from.
class Input {
 public:
  explicit Input(http::FileDescriptor file) : file_(std::move(file)), buffer_(kInputBytes) {}

  // Reads more if all bytes were taken. False at the end.
  Result<bool> Fill() {
    if (!rest_.empty()) return true;
    TRY_ASSIGN(const size_t got, file_.Read(buffer_));
    rest_ = std::span(buffer_).first(got);
    return got > 0;
  }
  std::span<char> rest() const { return rest_; }
  void Take(size_t bytes) { rest_ = rest_.subspan(bytes); }

 private:
  FileSource file_;
  std::vector<char> buffer_;
  std::span<char> rest_;
};

class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(http::FileDescriptor file) : input_(std::move(file)) {}
  ~GzipSource() override { inflateEnd(&stream_); }

  Status Start() {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) == Z_OK) return {};
    return Error::Internal("There is no memory to decompress gzip.");
  }

  Result<size_t> Read(std::span<char> space) override {
    for (;;) {
      TRY_ASSIGN(const bool more, input_.Fill());
      if (!more) {
        if (within_member_) return Error::Validation("The gzip data is cut short");
        return size_t{0};
      }
      if (!within_member_) inflateReset(&stream_);
      within_member_ = true;
      stream_.next_in = reinterpret_cast<Bytef*>(input_.rest().data());
      stream_.avail_in = static_cast<uInt>(input_.rest().size());
      stream_.next_out = reinterpret_cast<Bytef*>(space.data());
      stream_.avail_out = static_cast<uInt>(space.size());
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result != Z_OK && result != Z_STREAM_END) {
        return Error::Validation("The gzip data is damaged");
      }
      input_.Take(input_.rest().size() - stream_.avail_in);
      if (result == Z_STREAM_END) within_member_ = false;
      if (stream_.avail_out < space.size()) return space.size() - stream_.avail_out;
    }
  }

 private:
  Input input_;
  z_stream stream_ = {};
  bool within_member_ = false;
};

class ZstdSource final : public ByteSource {
 public:
  explicit ZstdSource(http::FileDescriptor file)
      : input_(std::move(file)), stream_(ZSTD_createDStream(), ZSTD_freeDStream) {}

  Result<size_t> Read(std::span<char> space) override {
    for (;;) {
      TRY_ASSIGN(const bool more, input_.Fill());
      if (!more && !within_frame_) return size_t{0};
      // The decompressor may still hold bytes that did not fit into the last buffer.
      ZSTD_inBuffer in = {input_.rest().data(), input_.rest().size(), 0};
      ZSTD_outBuffer out = {space.data(), space.size(), 0};
      const size_t wanted = ZSTD_decompressStream(stream_.get(), &out, &in);
      if (ZSTD_isError(wanted) != 0) return Error::Validation("The Zstandard data is damaged");
      input_.Take(in.pos);
      within_frame_ = wanted != 0;
      if (out.pos > 0) return out.pos;
      if (!more) return Error::Validation("The Zstandard data is cut short");
    }
  }

 private:
  Input input_;
  std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream_;
  bool within_frame_ = false;
};

constexpr size_t kFirstBufferBytes = 256 * 1024;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

Result<std::unique_ptr<ByteSource>> OpenByteSource(http::FileDescriptor file,
                                                   operations::Compression compression) {
  using operations::Compression;
  std::unique_ptr<ByteSource> source;
  if (compression == Compression::kGzip) {
    auto gzip = std::make_unique<GzipSource>(std::move(file));
    TRY(gzip->Start());
    source = std::move(gzip);
  } else if (compression == Compression::kZstd) {
    source = std::make_unique<ZstdSource>(std::move(file));
  } else {
    source = std::make_unique<FileSource>(std::move(file));
  }
  return source;
}

LineReader::LineReader(std::unique_ptr<ByteSource> source, size_t max_line_bytes)
    : source_(std::move(source)),
      max_line_bytes_(max_line_bytes),
      buffer_(kFirstBufferBytes + json::kPadding, '\0') {}

Result<bool> LineReader::Fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
  }
  if (end_ + json::kPadding == buffer_.size()) buffer_.resize(2 * end_ + json::kPadding);
  const size_t space = buffer_.size() - json::kPadding - end_;
  TRY_ASSIGN(const size_t got, source_->Read(std::span(buffer_.data() + end_, space)));
  end_ += got;
  bytes_read_ += static_cast<int64_t>(got);
  return got > 0;
}

LineReader::Line LineReader::Take(size_t length) {
  Line line{std::string_view(buffer_).substr(begin_, length)};
  begin_ += std::min(length + 1, end_ - begin_);
  if (std::exchange(first_line_, false) && line.text.starts_with(kByteOrderMark)) {
    line.text.remove_prefix(kByteOrderMark.size());
  }
  return line;
}

Result<std::optional<LineReader::Line>> LineReader::Next() {
  bool too_long = false;
  size_t searched = 0;
  for (;;) {
    const std::string_view kept = std::string_view(buffer_).substr(begin_, end_ - begin_);
    const size_t feed = kept.find('\n', searched);
    if (feed != std::string_view::npos && (too_long || feed > max_line_bytes_)) {
      begin_ += feed + 1;
      return std::optional(Line{"", true});
    }
    if (feed != std::string_view::npos) return std::optional(Take(feed));
    searched = kept.size();
    if (searched > max_line_bytes_) {
      too_long = true;
      begin_ = end_;
      searched = 0;
    }
    TRY_ASSIGN(const bool more, Fill());
    if (more) continue;
    if (too_long) return std::optional(Line{"", true});
    if (begin_ == end_) return std::optional<Line>();
    return std::optional(Take(end_ - begin_));
  }
}

}  // namespace monotable::transfer

#include "transfer/line_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "json/parse.h"

namespace monotable::transfer {
namespace {

constexpr size_t kFirstBufferBytes = 256 * 1024;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

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

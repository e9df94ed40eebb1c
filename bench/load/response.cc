#include "load/response.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include <strings.h>

namespace monotable::load {

namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeadEnd = "\r\n\r\n";

// The value of a header line that has this name, without the blanks in front.
std::optional<std::string_view> ValueOf(std::string_view line, std::string_view name) {
  if (line.size() <= name.size() || line[name.size()] != ':' ||
      strncasecmp(line.data(), name.data(), name.size()) != 0) {
    return std::nullopt;
  }
  line.remove_prefix(name.size() + 1);
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return line;
}

std::optional<size_t> ParseSize(std::string_view text, int base) {
  size_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size, base);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return size;
}

}  // namespace

char* Response::space() {
  if (filled_ == buffer_.size()) buffer_.resize(buffer_.size() * 2);
  return buffer_.data() + filled_;
}

Response::State Response::Take(size_t count) {
  filled_ += count;
  const std::string_view data(buffer_.data(), filled_);
  if (head_size_ == 0) {
    const size_t end = data.find(kHeadEnd);
    if (end == std::string_view::npos) return State::kIncomplete;
    head_size_ = end + kHeadEnd.size();
    next_chunk_ = head_size_;
    if (!ParseHead(data.substr(0, end))) return State::kMalformed;
  }
  if (!content_length_) return TakeChunks();
  if (filled_ < head_size_ + *content_length_) return State::kIncomplete;
  body_ = data.substr(head_size_, *content_length_);
  return State::kComplete;
}

void Response::Clear() {
  filled_ = 0;
  head_size_ = 0;
  content_length_.reset();
  chunks_.clear();
  body_ = {};
}

bool Response::ParseHead(std::string_view head) {
  constexpr std::string_view kVersion = "HTTP/1.1 ";
  if (!head.starts_with(kVersion)) return false;
  const std::optional<size_t> status = ParseSize(head.substr(kVersion.size(), 3), 10);
  if (!status) return false;
  status_ = static_cast<int>(*status);
  bool chunked = false;
  size_t line_end = 0;
  while ((line_end = head.find(kLineEnd)) != std::string_view::npos) {
    head.remove_prefix(line_end + kLineEnd.size());
    const std::string_view line = head.substr(0, head.find('\r'));
    if (const auto length = ValueOf(line, "content-length")) {
      content_length_ = ParseSize(*length, 10);
    } else if (ValueOf(line, "transfer-encoding") == "chunked") {
      chunked = true;
    }
  }
  return chunked || content_length_;
}

// Gathers the chunks that are there: each is its size in hexadecimal digits, its bytes and a line
// end, and one without bytes is the last.
Response::State Response::TakeChunks() {
  const std::string_view data(buffer_.data(), filled_);
  while (true) {
    const size_t line_end = data.find(kLineEnd, next_chunk_);
    if (line_end == std::string_view::npos) return State::kIncomplete;
    const std::optional<size_t> size =
        ParseSize(data.substr(next_chunk_, line_end - next_chunk_), 16);
    if (!size) return State::kMalformed;
    const size_t start = line_end + kLineEnd.size();
    if (data.size() < start + *size + kLineEnd.size()) return State::kIncomplete;
    chunks_ += data.substr(start, *size);
    next_chunk_ = start + *size + kLineEnd.size();
    if (*size == 0) {
      body_ = chunks_;
      return State::kComplete;
    }
  }
}

}  // namespace monotable::load

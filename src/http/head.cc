#include "http/head.h"

#include <array>
#include <cstring>
#include <limits>

#include "text/words.h"

namespace monotable::http {
namespace {

constexpr size_t kMaxHeaders = 256;

constexpr std::array<bool, 256> MakeTokenTable() {
  std::array<bool, 256> table{};
  for (unsigned char c = '0'; c <= '9'; ++c) table[c] = true;
  for (unsigned char c = 'a'; c <= 'z'; ++c) table[c] = true;
  for (unsigned char c = 'A'; c <= 'Z'; ++c) table[c] = true;
  for (const char c : std::string_view("!#$%&'*+-.^_`|~")) table[static_cast<uint8_t>(c)] = true;
  return table;
}
constexpr std::array<bool, 256> kToken = MakeTokenTable();

bool IsToken(std::string_view text) {
  for (const char c : text) {
    if (!kToken[static_cast<uint8_t>(c)]) return false;
  }
  return !text.empty();
}

constexpr bool IsControl(char c) {
  const auto byte = static_cast<uint8_t>(c);
  return byte < 0x20 || byte == 0x7f;
}

// Whether any byte is a control character other than tab. Eight bytes at a time: header values,
// above all Authorization, are most of a head.
bool HasControl(std::string_view text) {
  constexpr uint64_t kOnes = ~uint64_t{0} / 255;
  constexpr uint64_t kHighs = kOnes * 0x80;
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    const uint64_t deletes = word ^ (kOnes * 0x7f);
    const uint64_t below_blank = (word - kOnes * 0x20) & ~word & kHighs;
    const uint64_t is_delete = (deletes - kOnes) & ~deletes & kHighs;
    // A borrow can mark a byte that is fine; the loop below has the last word.
    if ((below_blank | is_delete) != 0) break;
  }
  for (; i < text.size(); ++i) {
    if (IsControl(text[i]) && text[i] != '\t') return true;
  }
  return false;
}

bool IsTarget(std::string_view target) {
  if (target.empty() || target.find(' ') != std::string_view::npos) return false;
  return !HasControl(target) && target.find('\t') == std::string_view::npos;
}

// Takes the next line, without its CRLF, from the bytes. A line feed without its carriage return
// ends no line here; the carriage return that is missing makes the line malformed.
std::optional<std::string_view> TakeLine(std::string_view* bytes) {
  const void* end = std::memchr(bytes->data(), '\n', bytes->size());
  if (end == nullptr) return std::nullopt;
  const auto length = static_cast<size_t>(static_cast<const char*>(end) - bytes->data());
  if (length == 0 || (*bytes)[length - 1] != '\r') return std::nullopt;
  const std::string_view line = bytes->substr(0, length - 1);
  bytes->remove_prefix(length + 1);
  return line;
}

std::optional<ProtocolError> ParseRequestLine(std::string_view line, RequestHead* out) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    return ProtocolError{400, "The request line is malformed."};
  }
  out->method = line.substr(0, first);
  out->target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!IsToken(out->method) || !IsTarget(out->target)) {
    return ProtocolError{400, "The request line is malformed."};
  }
  if (version.size() != 8 || !version.starts_with("HTTP/") || version[6] != '.') {
    return ProtocolError{400, "The request line is malformed."};
  }
  if (version[5] != '1' || (version[7] != '0' && version[7] != '1')) {
    return ProtocolError{505, "Only HTTP/1.0 and HTTP/1.1 are spoken here."};
  }
  out->framing.minor_version = version[7] - '0';
  out->framing.keep_alive = out->framing.minor_version == 1;
  return std::nullopt;
}

// Decimal digits only: a sign, a blank or a list is read differently by different parsers.
std::optional<uint64_t> ParseLength(std::string_view text) {
  if (text.empty()) return std::nullopt;
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<uint64_t>(c - '0');
    value = value > (kMax - digit) / 10 ? kMax : value * 10 + digit;
  }
  return value;
}

// Calls visit with each element of a comma-separated list.
template <typename Visit>
void ForEachElement(std::string_view list, Visit visit) {
  while (true) {
    const size_t comma = list.find(',');
    visit(text::Trim(list.substr(0, comma)));
    if (comma == std::string_view::npos) return;
    list.remove_prefix(comma + 1);
  }
}

// Gathers what the headers say about framing; Finish checks what they say together.
class FramingReader {
 public:
  explicit FramingReader(Framing* out) : out_(out) {}

  std::optional<ProtocolError> Read(const Header& header) {
    switch (header.name.size()) {
      case 4:
        if (text::EqualsIgnoringCase(header.name, "host")) ++hosts_;
        break;
      case 6:
        if (text::EqualsIgnoringCase(header.name, "expect")) return ReadExpect(header.value);
        break;
      case 10:
        if (text::EqualsIgnoringCase(header.name, "connection")) ReadConnection(header.value);
        break;
      case 14:
        if (text::EqualsIgnoringCase(header.name, "content-length"))
          return ReadLength(header.value);
        break;
      case 17:
        if (text::EqualsIgnoringCase(header.name, "transfer-encoding"))
          return ReadEncoding(header.value);
        break;
      default:
        break;
    }
    return std::nullopt;
  }

  std::optional<ProtocolError> Finish() {
    if (out_->chunked && has_length_) {
      return ProtocolError{400, "Content-Length and Transfer-Encoding exclude each other."};
    }
    if (out_->chunked && out_->minor_version == 0) {
      return ProtocolError{400, "HTTP/1.0 has no Transfer-Encoding."};
    }
    if (hosts_ > 1 || (hosts_ == 0 && out_->minor_version == 1)) {
      return ProtocolError{400, "A request needs exactly one Host header."};
    }
    if (out_->minor_version == 0) out_->expects_continue = false;
    if (says_close_) {
      out_->keep_alive = false;
    } else if (says_keep_alive_) {
      out_->keep_alive = true;
    }
    return std::nullopt;
  }

 private:
  std::optional<ProtocolError> ReadExpect(std::string_view value) {
    if (!text::EqualsIgnoringCase(value, "100-continue")) {
      return ProtocolError{417, "The only expectation that can be met is 100-continue."};
    }
    out_->expects_continue = true;
    return std::nullopt;
  }

  void ReadConnection(std::string_view value) {
    ForEachElement(value, [this](std::string_view option) {
      if (text::EqualsIgnoringCase(option, "close")) says_close_ = true;
      if (text::EqualsIgnoringCase(option, "keep-alive")) says_keep_alive_ = true;
    });
  }

  std::optional<ProtocolError> ReadLength(std::string_view value) {
    const std::optional<uint64_t> length = ParseLength(value);
    if (!length) return ProtocolError{400, "Content-Length is not a number."};
    if (has_length_ && *length != out_->content_length) {
      return ProtocolError{400, "Content-Length is given twice and differs."};
    }
    has_length_ = true;
    out_->content_length = *length;
    return std::nullopt;
  }

  std::optional<ProtocolError> ReadEncoding(std::string_view value) {
    if (out_->chunked) return ProtocolError{400, "Transfer-Encoding is given twice."};
    if (!text::EqualsIgnoringCase(value, "chunked")) {
      return ProtocolError{501, "The only transfer encoding that can be read is chunked."};
    }
    out_->chunked = true;
    return std::nullopt;
  }

  Framing* out_;
  int hosts_ = 0;
  bool has_length_ = false;
  bool says_close_ = false;
  bool says_keep_alive_ = false;
};

}  // namespace

std::optional<ProtocolError> ParseHead(std::string_view bytes, RequestHead* out) {
  const std::optional<std::string_view> request_line = TakeLine(&bytes);
  if (!request_line) return ProtocolError{400, "The request line is malformed."};
  if (auto error = ParseRequestLine(*request_line, out)) return error;
  FramingReader framing(&out->framing);
  out->headers.clear();
  out->headers.reserve(16);
  while (true) {
    const std::optional<std::string_view> line = TakeLine(&bytes);
    if (!line) return ProtocolError{400, "A header line is malformed."};
    if (line->empty()) break;
    const size_t colon = line->find(':');
    if (colon == std::string_view::npos) return ProtocolError{400, "A header line is malformed."};
    const Header header{line->substr(0, colon), text::Trim(line->substr(colon + 1))};
    // A folded line begins with a blank and therefore has no proper name either.
    if (!IsToken(header.name)) return ProtocolError{400, "A header name is malformed."};
    if (HasControl(header.value)) return ProtocolError{400, "A header value is malformed."};
    if (out->headers.size() == kMaxHeaders) {
      return ProtocolError{431, "The request has too many headers."};
    }
    if (auto error = framing.Read(header)) return error;
    out->headers.push_back(header);
  }
  return framing.Finish();
}

size_t FindHeadEnd(std::string_view bytes, size_t searched) {
  // The end may begin up to three bytes before what is new.
  size_t from = searched < 3 ? 0 : searched - 3;
  while (from < bytes.size()) {
    const void* found = std::memchr(bytes.data() + from, '\n', bytes.size() - from);
    if (found == nullptr) return 0;
    const auto at = static_cast<size_t>(static_cast<const char*>(found) - bytes.data());
    const std::string_view rest = bytes.substr(at + 1, 2);
    if (rest == "\r\n") return at + 3;
    // Bare line feeds end a head too, so that ParseHead gets to refuse them now instead of the
    // header timeout later.
    if (!rest.empty() && rest[0] == '\n') return at + 2;
    from = at + 1;
  }
  return 0;
}

bool IsTokenByte(char c) {
  return kToken[static_cast<uint8_t>(c)];
}

}  // namespace monotable::http

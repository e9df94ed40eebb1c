#include "http/request_parser.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "text/characters.h"
#include "text/words.h"

namespace monotable::http {
namespace {

struct RequestHead {
  std::string_view method;
  std::string_view target;     // path and query, or *
  std::string_view authority;  // of a target in absolute form; empty otherwise
  std::vector<Header> headers;
  Framing framing;
};

constexpr size_t kMaxHeaders = 256;
// Of a body that was announced.
constexpr size_t kMostCopiedBytes = 1024 * 1024;

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
    // A borrow can mark a valid byte, so the loop below decides.
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

// Takes a target apart. Clients send a path and a query. To a proxy they send the whole URI, and
// servers must read that as well (RFC 9112 section 3.2.2). `*` asks about the server and not about
// one of its resources. Returns false for anything else: a client that sends it means another
// server.
bool ReadTarget(std::string_view target, RequestHead* out) {
  out->target = target;
  if (target[0] == '/') return true;
  if (target == "*") return out->method == "OPTIONS";
  const auto has_scheme = [&](std::string_view scheme) {
    return text::EqualsIgnoringCase(target.substr(0, scheme.size()), scheme);
  };
  if (!has_scheme("http://") && !has_scheme("https://")) return false;
  target.remove_prefix(target.find("//") + 2);
  const size_t end = std::min(target.find_first_of("/?#"), target.size());
  out->authority = target.substr(0, end);
  out->target = target.substr(end);
  // A name and password before the host is a way to mislead people (RFC 9110 section 4.2.4).
  if (out->authority.empty() || out->authority[0] == ':' || out->authority.find('@') < end) {
    return false;
  }
  if (out->target.empty()) out->target = out->method == "OPTIONS" ? "*" : "/";
  return out->target[0] != '#';
}

// Removes the next line, without its CRLF, from the bytes. A line feed without a carriage return
// makes the line malformed.
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
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!IsToken(out->method) || !IsTarget(target) || !ReadTarget(target, out)) {
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

// Accepts decimal digits only, because parsers differ on signs, blanks and lists.
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

// Parses a complete head: the request line, the headers and the empty line that ends them. The
// views of *out point into it. Refuses everything that two parsers could read differently (bare
// line feeds, folded lines, blanks before a colon, contradicting lengths), because a proxy in front
// would then see other requests than this server does. Pure.
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

// The authority of a target in absolute form takes the place of the header Host, so that everybody
// who looks at the host of a request sees the same one (RFC 9112 section 3.2.2). `bytes` are those
// that the views of the head point into.
void UseAuthority(char* bytes, RequestHead* head) {
  if (head->target[0] == '?') {
    // The empty path means "/". There is room for it: the authority moves back by one byte, over a
    // slash of "http://".
    char* const host = bytes + (head->authority.data() - bytes);
    std::memmove(host - 1, host, head->authority.size());
    host[head->authority.size() - 1] = '/';
    head->authority = {host - 1, head->authority.size()};
    head->target = {head->target.data() - 1, head->target.size() + 1};
  }
  for (Header& header : head->headers) {
    if (!text::EqualsIgnoringCase(header.name, "host")) continue;
    header.value = head->authority;
    return;
  }
  head->headers.push_back({"Host", head->authority});
}

// The length of the head at the beginning of the bytes, with its empty line; 0 if it is not there
// yet. The first `searched` bytes are known not to hold its end.
size_t FindHeadEnd(std::string_view bytes, size_t searched) {
  // The end of the head may begin up to three bytes before the new bytes.
  size_t from = searched < 3 ? 0 : searched - 3;
  while (from < bytes.size()) {
    const void* found = std::memchr(bytes.data() + from, '\n', bytes.size() - from);
    if (found == nullptr) return 0;
    const auto at = static_cast<size_t>(static_cast<const char*>(found) - bytes.data());
    const std::string_view rest = bytes.substr(at + 1, 2);
    if (rest == "\r\n") return at + 3;
    // Bare line feeds also end a head, so that ParseHead refuses them at once instead of waiting
    // for the header timeout.
    if (!rest.empty() && rest[0] == '\n') return at + 2;
    from = at + 1;
  }
  return 0;
}

// Whether the byte may begin a request line. Anything else (the greeting of a TLS client, say) can
// be refused without waiting for more.
bool IsTokenByte(char c) {
  return kToken[static_cast<uint8_t>(c)];
}

// Sixteen digits would be 64 bits. Fifteen cannot overflow and are far beyond any limit on bodies.
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
  // The parser never keeps more than the limit, whatever the size of the piece.
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
  head_bytes_ = bytes.size();
  std::memcpy(storage_->head.get(), bytes.data(), bytes.size());
  RequestHead head;
  if (const auto error = ParseHead({storage_->head.get(), bytes.size()}, &head)) {
    Fail(error->status, error->reason);
    return;
  }
  if (!head.authority.empty()) UseAuthority(storage_->head.get(), &head);
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
    // Twice what is there, but not past what was announced. A large body gets all that was
    // announced at once: the kernel gives memory only to the bytes that come, and to copy megabytes
    // would hold up the other connections.
    size_t grown = body.empty() ? first : 2 * body.capacity();
    if (expected != 0) grown = std::min(grown, expected);
    if (body.capacity() >= kMostCopiedBytes) grown = std::max(grown, expected);
    body.reserve(std::max(size, grown) + Request::kPadding);
  }
  body.append(data);
  return true;
}

void RequestParser::Fail(int status, std::string_view reason) {
  error_ = {status, reason};
  if (storage_) failed_target_ = storage_->target;
  Discard();
}

void RequestParser::Discard() {
  state_ = State::kFailed;
  storage_.reset();
  std::string().swap(partial_head_);  // gives the memory back
}

size_t RequestParser::bytes_taken() const {
  return partial_head_.capacity() + (storage_ ? head_bytes_ + storage_->body.capacity() : 0);
}

std::unique_ptr<Request::Storage> RequestParser::Take() {
  state_ = State::kIdle;
  return std::move(storage_);
}

}  // namespace monotable::http

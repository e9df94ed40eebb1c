#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "http/server.h"

namespace monotable::http {

// Why a request cannot be served, for the answer: an HTTP status and a sentence.
struct ProtocolError {
  int status = 0;
  std::string_view reason;  // static
};

// What the head of a request says beyond the request itself: how its body is framed and what
// becomes of the connection.
struct Framing {
  int minor_version = 1;  // HTTP/1.0 or HTTP/1.1
  bool keep_alive = true;
  bool expects_continue = false;
  bool chunked = false;
  uint64_t content_length = 0;  // saturates; zero when absent or chunked
};

struct RequestHead {
  std::string_view method;
  std::string_view target;
  std::vector<Header> headers;
  Framing framing;
};

// Parses a complete head: the request line, the headers and the empty line that ends them. The
// views of *out point into it. Refuses everything that two parsers could read differently (bare
// line feeds, folded lines, blanks before a colon, contradicting lengths), because a proxy in front
// would then see other requests than this server does. Pure.
std::optional<ProtocolError> ParseHead(std::string_view bytes, RequestHead* out);

// The length of the head at the beginning of the bytes, with its empty line; 0 if it is not there
// yet. The first `searched` bytes are known not to hold its end.
size_t FindHeadEnd(std::string_view bytes, size_t searched);

// Whether the byte may begin a request line. Anything else (the greeting of a TLS client, say) can
// be refused without waiting for more.
bool IsTokenByte(char c);

}  // namespace monotable::http

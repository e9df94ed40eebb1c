#include "cli/http_exchange.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "http/file_descriptor.h"
#include "http/request_parser.h"
#include "text/words.h"

namespace monotable::cli {
namespace {

Error Unavailable(std::string message) {
  return Error(ErrorCode::kUnavailable, std::move(message));
}

Error BadUrl(std::string_view url, std::string_view why) {
  return Error::Validation(
      fmt::format("'{}' is no endpoint: {} Give one such as http://127.0.0.1:8000.", url, why));
}

bool IsPort(std::string_view text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port > 0 && port <= 65535;
}

Error CannotReach(const Endpoint& endpoint, std::string_view why) {
  return Unavailable(fmt::format("No answer from {}: {}.", endpoint.authority(), why));
}

std::string_view WhyOf(int error) {
  return error == EAGAIN || error == EINPROGRESS ? "it took too long" : std::strerror(error);
}

Result<http::FileDescriptor> Connect(const Endpoint& endpoint, std::chrono::seconds patience) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(endpoint.host.c_str(), endpoint.port.c_str(), &hints, &found);
  if (failed != 0) return CannotReach(endpoint, gai_strerror(failed));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, freeaddrinfo);
  int error = 0;
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    http::FileDescriptor socket(::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const timeval limit{static_cast<time_t>(patience.count()), 0};
    // The limit of sending is that of connecting, too.
    setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    if (connect(socket.get(), address->ai_addr, address->ai_addrlen) == 0) return socket;
    error = errno;
  }
  return CannotReach(endpoint, WhyOf(error));
}

// What follows the colon of a header; nullopt if there is no such header.
std::optional<std::string_view> HeaderOf(std::string_view head, std::string_view name) {
  while (!head.empty()) {
    const size_t end = head.find("\r\n");
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 2);
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    if (text::EqualsIgnoringCase(line.substr(0, colon), name)) {
      return text::Trim(line.substr(colon + 1));
    }
  }
  return std::nullopt;
}

Result<std::string> Dechunk(std::string_view bytes) {
  std::string body;
  http::ChunkedDecoder decoder;
  while (true) {
    const auto piece = decoder.Next(bytes);
    bytes.remove_prefix(piece.consumed);
    switch (piece.outcome) {
      case http::ChunkedDecoder::Outcome::kData:
        body += piece.data;
        break;
      case http::ChunkedDecoder::Outcome::kDone:
        return body;
      case http::ChunkedDecoder::Outcome::kNeedMore:
      case http::ChunkedDecoder::Outcome::kMalformed:
        return Unavailable("The answer of the server broke off.");
    }
  }
}

}  // namespace

std::string Endpoint::authority() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  const std::string name = is_ipv6 ? fmt::format("[{}]", host) : host;
  return port == "80" ? name : fmt::format("{}:{}", name, port);
}

Result<Endpoint> ParseEndpoint(std::string_view url) {
  constexpr std::string_view kScheme = "http://";
  if (url.starts_with("https://")) {
    return BadUrl(url, "https is not spoken here; use a tunnel that ends on this machine.");
  }
  if (!url.starts_with(kScheme)) return BadUrl(url, "it does not begin with http://.");
  std::string_view rest = url.substr(kScheme.size());
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.find_first_of("/?#@") != std::string_view::npos) {
    return BadUrl(url, "it is more than a host and a port.");
  }
  Endpoint endpoint;
  if (rest.starts_with('[')) {
    const size_t close = rest.find(']');
    if (close == std::string_view::npos) return BadUrl(url, "a bracket is not closed.");
    endpoint.host = rest.substr(1, close - 1);
    rest.remove_prefix(close + 1);
  } else {
    const size_t colon = rest.find(':');
    endpoint.host = rest.substr(0, colon);
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon);
  }
  if (endpoint.host.empty()) return BadUrl(url, "it names no host.");
  if (rest.empty()) return endpoint;
  if (!rest.starts_with(':') || !IsPort(rest.substr(1))) {
    return BadUrl(url, "its port is no number from 1 to 65535.");
  }
  endpoint.port = rest.substr(1);
  return endpoint;
}

Result<HttpAnswer> Exchange(const Endpoint& endpoint, std::string_view request,
                            std::chrono::seconds patience) {
  TRY_ASSIGN(const http::FileDescriptor socket, Connect(endpoint, patience));
  while (!request.empty()) {
    const ssize_t sent = send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    // A server may answer a request before it has read all of it.
    if (sent < 0) break;
    request.remove_prefix(static_cast<size_t>(sent));
  }
  std::string bytes;
  char buffer[16 * 1024];
  while (true) {
    const ssize_t got = recv(socket.get(), buffer, sizeof(buffer), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return CannotReach(endpoint, WhyOf(errno));
    if (got == 0) break;
    bytes.append(buffer, static_cast<size_t>(got));
  }
  if (bytes.empty()) return CannotReach(endpoint, "it closed the connection");
  return ParseAnswer(bytes);
}

Result<HttpAnswer> ParseAnswer(std::string_view bytes) {
  constexpr std::string_view kVersion = "HTTP/1.";
  constexpr size_t kStatusAt = 9;  // of HTTP/1.1 200
  const size_t end = bytes.find("\r\n\r\n");
  HttpAnswer answer;
  if (end == std::string_view::npos || !bytes.starts_with(kVersion) ||
      std::from_chars(bytes.data() + kStatusAt, bytes.data() + end, answer.status).ec !=
          std::errc()) {
    return Unavailable("The server does not answer in HTTP.");
  }
  const std::string_view head = bytes.substr(0, end);
  const std::string_view body = bytes.substr(end + 4);
  const auto encoding = HeaderOf(head, "Transfer-Encoding");
  if (encoding && text::EqualsIgnoringCase(*encoding, "chunked")) {
    TRY_ASSIGN(answer.body, Dechunk(body));
    return answer;
  }
  if (const auto length = HeaderOf(head, "Content-Length")) {
    size_t expected = 0;
    std::from_chars(length->data(), length->data() + length->size(), expected);
    if (body.size() < expected) return Unavailable("The answer of the server broke off.");
    answer.body = body.substr(0, expected);
    return answer;
  }
  answer.body = body;
  return answer;
}

}  // namespace monotable::cli

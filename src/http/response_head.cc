#include "http/response_head.h"

#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "time/calendar.h"

namespace monotable::http {
namespace {

// Every 503 has it: the server is busy, and a client that tries again at once keeps it busy.
constexpr std::string_view kRetryAfter = "Retry-After";

void AppendHeader(std::string_view name, std::string_view value, std::string* out) {
  out->append(name).append(": ").append(value).append("\r\n");
}

// The reason phrase of a status; "Unknown" for a status that this server never sends.
std::string_view StatusText(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Unknown";
  }
}

}  // namespace

void ResponseHeadWriter::Write(const Response& response, Persistence persistence, time_t now,
                               std::string* out) {
  if (now != date_second_) {
    date_second_ = now;
    date_line_ = "Date: " + time::FormatHttpDate(int64_t{now} * 1000) + "\r\n";
  }
  const fmt::format_int status(response.status);
  const fmt::format_int length(response.body.size());
  out->append("HTTP/1.1 ").append(status.data(), status.size()).append(" ");
  out->append(StatusText(response.status)).append("\r\n").append(date_line_);
  if (!response.content_type.empty()) AppendHeader("Content-Type", response.content_type, out);
  // RFC 9110 section 8.6: an answer without content has no length.
  if (response.status != 204 && response.status != 304) {
    AppendHeader("Content-Length", {length.data(), length.size()}, out);
  }
  bool says_when_to_retry = false;
  for (const auto& [name, value] : response.headers) {
    AppendHeader(name, value, out);
    if (name == kRetryAfter) says_when_to_retry = true;
  }
  if (response.status == 503 && !says_when_to_retry) AppendHeader(kRetryAfter, "1", out);
  if (persistence == Persistence::kClose) out->append("Connection: close\r\n");
  if (persistence == Persistence::kKeepAlive) out->append("Connection: keep-alive\r\n");
  out->append("\r\n");
}

}  // namespace monotable::http

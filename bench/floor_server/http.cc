#include "http.h"

#include <array>
#include <charconv>

#include <strings.h>

namespace monotable::bench {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeadEnd = "\r\n\r\n";

// The value of a header line if it is the header of that name, which ends with a colon.
std::optional<std::string_view> ValueOf(std::string_view line, std::string_view name) {
  if (line.size() < name.size() || strncasecmp(line.data(), name.data(), name.size()) != 0) {
    return std::nullopt;
  }
  line.remove_prefix(name.size());
  while (line.starts_with(' ')) line.remove_prefix(1);
  return line;
}

}  // namespace

std::optional<HttpRequest> ParseRequest(std::string_view bytes) {
  const size_t head_bytes = bytes.find(kHeadEnd);
  if (head_bytes == std::string_view::npos) return std::nullopt;
  HttpRequest request;
  size_t body_bytes = 0;
  std::string_view rest = bytes.substr(0, head_bytes + kLineEnd.size());
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find(kLineEnd));
    rest.remove_prefix(line.size() + kLineEnd.size());
    if (const auto length = ValueOf(line, "Content-Length:")) {
      std::from_chars(length->data(), length->data() + length->size(), body_bytes);
    } else if (const auto target = ValueOf(line, "X-Amz-Target:")) {
      request.operation = target->substr(target->find('.') + 1);
    }
  }
  request.bytes = head_bytes + kHeadEnd.size() + body_bytes;
  if (bytes.size() < request.bytes) return std::nullopt;
  request.body = bytes.substr(head_bytes + kHeadEnd.size(), body_bytes);
  return request;
}

void AppendAnswerHead(size_t body_bytes, std::string* answer) {
  std::array<char, 20> digits;
  char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), body_bytes).ptr;
  answer->append("HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: ");
  answer->append(digits.data(), end);
  answer->append(kHeadEnd);
}

}  // namespace monotable::bench

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

// As much of HTTP/1.1 as a well-behaved client needs.
namespace monotable::bench {

struct HttpRequest {
  std::string_view operation;  // what X-Amz-Target says after the dot
  std::string_view body;
  size_t bytes = 0;  // head and body
};

// The request that the bytes begin with, or nullopt until there is more of it.
std::optional<HttpRequest> ParseRequest(std::string_view bytes);

// Appends the head of an answer whose body has so many bytes.
void AppendAnswerHead(size_t body_bytes, std::string* answer);

}  // namespace monotable::bench

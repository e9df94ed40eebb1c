#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "error/result.h"

// One HTTP/1.1 request over a connection of its own, for commands that ask a server a few times.
namespace monotable::cli {

struct Endpoint {
  std::string host;  // without the brackets of an IPv6 address
  std::string port = "80";

  // As a Host header names it.
  std::string authority() const;
};

// Reads http://host[:port][/]. The errors say what is wrong; https is none of what is spoken here.
Result<Endpoint> ParseEndpoint(std::string_view url);

struct HttpAnswer {
  int status = 0;
  std::string body;
};

// Sends the bytes of a request that asks for the connection to be closed, and reads the answer.
// Blocks, at most so long without any progress. Errors are kUnavailable.
Result<HttpAnswer> Exchange(const Endpoint& endpoint, std::string_view request,
                            std::chrono::seconds patience);

// The answer in the bytes that a server sent until it closed: of known length, chunked, or as long
// as the connection lasted.
Result<HttpAnswer> ParseAnswer(std::string_view bytes);

}  // namespace monotable::cli

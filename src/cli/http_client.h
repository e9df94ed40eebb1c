#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"

// HTTP and HTTPS for commands that ask a server a few times.
namespace monotable::cli {

struct Endpoint {
  std::string host;  // without the brackets of an IPv6 address
  std::string port = "80";
  bool is_https = false;

  // Host and port as a Host header names them, without the default port.
  std::string authority() const;
  std::string url() const;
};

// Reads http://host[:port][/] or https://host[:port][/]. The error says what is wrong.
Result<Endpoint> ParseEndpoint(std::string_view url);

struct HttpHeader {
  std::string name;
  std::string value;
};

struct HttpAnswer {
  int status = 0;
  std::string body;
};

struct HttpOptions {
  std::chrono::seconds patience{60};  // for any progress of a request
  // The certificates to trust for https. Empty: those that CURL_CA_BUNDLE or SSL_CERT_FILE names,
  // or else those of the system.
  std::string ca_file = {};
};

// Sends requests to one server and keeps the connection between them. Server certificates are
// always verified, redirects are not followed and proxies are not used. Not thread-safe.
class HttpClient {
 public:
  HttpClient(Endpoint endpoint, HttpOptions options);

  // Posts to the path / and waits for the answer. An error is kUnavailable and one line that says
  // what to do about it.
  Result<HttpAnswer> Post(const std::vector<HttpHeader>& headers, std::string_view body);

 private:
  Error FailureOf(int code, const char* details) const;

  const Endpoint endpoint_;
  const HttpOptions options_;
  const std::unique_ptr<void, void (*)(void*)> curl_;  // libcurl's easy handle
};

}  // namespace monotable::cli

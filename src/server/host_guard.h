#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace monotable::server {

// Keeps web pages away from a server that accepts unauthenticated callers. A browser on this
// machine can reach the loopback address on behalf of any page, so the address alone is no
// protection:
//
// - A page can point a name of its own at 127.0.0.1 and then read every answer as its own (DNS
//   rebinding). Its requests have that name in Host.
// - A page can send a form, or a request whose answer it cannot see. Such a request names the page
// in
//   Origin, or says in Sec-Fetch-Site that it comes from another site.
//
// The guard lets requests for and from loopback names pass, and those that the operator has named.
// A request without Host is one of HTTP/1.0, which no browser sends. Other requests are answered
// with 403 in the words of the API that they are for. Thread-safe. The handler must outlive the
// guard.
class HostGuard : public http::Handler {
 public:
  // The names have no ports and no brackets, and any case.
  HostGuard(http::Handler& handler, std::vector<std::string> names);

  void Handle(http::Request request, http::Responder responder) override;
  http::Response HandleProtocolError(int status, std::string_view reason,
                                     std::string_view target) override;

 private:
  // A sentence that says why a request is refused and what to do; empty if it is not.
  std::string Refusal(const http::Request& request) const;
  // Whether `name`, `name:port` or `[address]:port` is this machine or one of the names.
  bool IsOwn(std::string_view authority) const;

  http::Handler& handler_;
  const std::vector<std::string> names_;
};

}  // namespace monotable::server

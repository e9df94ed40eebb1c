#pragma once

#include <string>
#include <string_view>

#include "error/error.h"
#include "http/message.h"

namespace monotable::api::dynamodb {

// The 52 capital letters and digits that name a request in the service's answers and logs.
std::string NewRequestId();

// An answer with the headers the service sends.
http::Response MakeResponse(int status, std::string_view media_type, std::string body);
http::Response MakeResponse(const Error& error, std::string_view media_type);

// Answers one request in the service's JSON, with the headers it sends. Copies share the same
// answer, of which one must be given. Thread-safe; may outlive the service that made it.
class Reply {
 public:
  // The media type is that of the request: clients that send plain application/json get it back.
  Reply(http::Responder responder, std::string_view media_type)
      : responder_(std::move(responder)), media_type_(media_type) {}

  void Send(std::string body) const {
    responder_.Send(MakeResponse(200, media_type_, std::move(body)));
  }
  void Fail(const Error& error) const { responder_.Send(MakeResponse(error, media_type_)); }
  // Has make(media_type) return the answer on the thread that sends it.
  template <typename Make>
  void SendMade(Make make) const {
    responder_.SendMade([make = std::move(make), type = media_type_] { return make(type); });
  }

 private:
  http::Responder responder_;
  std::string_view media_type_;  // a literal
};

}  // namespace monotable::api::dynamodb

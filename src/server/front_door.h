#pragma once

#include <string_view>

#include "http/message.h"

namespace monotable::server {

// Sends each request to its API. Requests for the DynamoDB API are POST / with X-Amz-Target, and
// GET /, which load balancers send; everything else is REST. Without models all requests go to the
// DynamoDB API. Thread-safe. Both handlers must outlive the front door.
class FrontDoor : public http::Handler {
 public:
  // rest is null if no models are served.
  FrontDoor(http::Handler& dynamodb, http::Handler* rest) : dynamodb_(dynamodb), rest_(rest) {}

  void Handle(http::Request request, http::Responder responder) override;
  // In the words of the DynamoDB API, whose clients read them to decide whether to try again.
  http::Response HandleProtocolError(int status, std::string_view reason,
                                     std::string_view target) override;

 private:
  http::Handler& dynamodb_;
  http::Handler* const rest_;
};

}  // namespace monotable::server

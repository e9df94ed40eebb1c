#include "api/front_door.h"

#include <utility>

namespace monotable::api {
namespace {

bool IsForDynamoDb(const http::Request& request) {
  const std::string_view target = request.target();
  if (target.substr(0, target.find('?')) != "/") return false;
  if (request.method() == "GET") return true;
  return request.method() == "POST" && request.header("X-Amz-Target").data() != nullptr;
}

}  // namespace

void FrontDoor::Handle(http::Request request, http::Responder responder) {
  http::Handler& handler = rest_ == nullptr || IsForDynamoDb(request) ? dynamodb_ : *rest_;
  handler.Handle(std::move(request), std::move(responder));
}

http::Response FrontDoor::HandleProtocolError(int status, std::string_view reason) {
  return dynamodb_.HandleProtocolError(status, reason);
}

}  // namespace monotable::api

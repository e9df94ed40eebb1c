#include "server/front_door.h"

#include <utility>

namespace monotable::server {
namespace {

// Every request to the root is for the DynamoDB API, and so is a request that names one of its
// operations at another path. Both are answered as if no models were served.
bool IsRoot(std::string_view target) {
  return target.substr(0, target.find('?')) == "/";
}

bool IsForDynamoDb(const http::Request& request) {
  return IsRoot(request.target()) || request.header("X-Amz-Target").data() != nullptr;
}

// OPTIONS * asks what the server as a whole can do, and clients use it to see if it is there.
http::Response DescribeServer() {
  http::Response response;
  response.status = 204;
  response.headers.emplace_back("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
  return response;
}

}  // namespace

void FrontDoor::Handle(http::Request request, http::Responder responder) {
  if (request.target() == "*") return responder.Send(DescribeServer());
  http::Handler& handler = rest_ == nullptr || IsForDynamoDb(request) ? dynamodb_ : *rest_;
  handler.Handle(std::move(request), std::move(responder));
}

http::Response FrontDoor::HandleProtocolError(int status, std::string_view reason,
                                              std::string_view target) {
  // A request that could not be read at all is more likely one for the DynamoDB API.
  const bool to_dynamodb = rest_ == nullptr || target.empty() || IsRoot(target);
  http::Handler& handler = to_dynamodb ? dynamodb_ : *rest_;
  return handler.HandleProtocolError(status, reason, target);
}

}  // namespace monotable::server

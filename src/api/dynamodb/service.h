#pragma once

#include <cstddef>
#include <string_view>

#include "api/dynamodb/administration.h"
#include "api/dynamodb/operation.h"
#include "auth/authenticator.h"
#include "engine/engine.h"
#include "http/message.h"
#include "json/parse.h"
#include "work/executor.h"

namespace monotable::api::dynamodb {

struct ServiceOptions {
  // Requests with larger bodies go to the executor whatever they ask for, because parsing them
  // would keep an I/O thread from its other connections.
  size_t max_inline_body = 64 * 1024;
  // For the operations about the server as a whole, which are unknown without it.
  Administration* administration = nullptr;
};

// The front door for the DynamoDB protocol: AWS JSON 1.0 over HTTP. Thread-safe. The engine, the
// executor and the authenticator must outlive the service. The HTTP server and the executor must be
// drained before the service goes.
class Service : public http::Handler {
 public:
  Service(engine::Engine& engine, work::Executor& executor,
          const auth::Authenticator& authenticator, ServiceOptions options = {});

  void Handle(http::Request request, http::Responder responder) override;
  http::Response HandleProtocolError(int status, std::string_view reason,
                                     std::string_view target) override;

 private:
  // Runs the operation on the I/O thread. Returns false if that would take too long; the operation
  // has then changed nothing and must run on the executor.
  bool TryInline(const Operation& operation, const http::Request& request,
                 const http::Responder& responder, std::string_view media_type);
  // Runs the operation and sends its answer, in the media type of the request.
  void Run(const Operation& operation, const http::Request& request,
           const http::Responder& responder, std::string_view media_type);
  Call CallOf(const http::Request& request, const json::Object& body) const;
  // The body of a request, with all its checks. The body holds until the parser parses another.
  Result<json::Object> Read(const Operation& operation, const http::Request& request,
                            json::Parser& parser) const;
  Status Authenticate(const http::Request& request) const;

  engine::Engine& engine_;
  work::Executor& executor_;
  const auth::Authenticator& authenticator_;
  const ServiceOptions options_;
};

}  // namespace monotable::api::dynamodb

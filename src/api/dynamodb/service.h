#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/dynamodb/operation_table.h"
#include "auth/authenticator.h"
#include "engine/engine.h"
#include "engine/worker_pool.h"
#include "http/message.h"

namespace monotable::api::dynamodb {

struct ServiceOptions {
  size_t workers = 4;
  size_t max_queued = 10000;  // requests waiting for a worker; past it they are throttled
  // Requests with larger bodies go to a worker whatever they ask for, because parsing them would
  // keep an I/O thread from its other connections.
  size_t max_inline_body = 64 * 1024;
  // For the operations about the server as a whole, which are unknown without it.
  Administration* administration = nullptr;
};

// The front door for the DynamoDB protocol: AWS JSON 1.0 over HTTP. Thread-safe. The engine and the
// authenticator must outlive it, and the HTTP server must be drained before it goes.
class Service : public http::Handler {
 public:
  Service(engine::Engine& engine, const auth::Authenticator& authenticator,
          ServiceOptions options = {});

  void Handle(http::Request request, http::Responder responder) override;
  http::Response HandleProtocolError(int status, std::string_view reason,
                                     std::string_view target) override;

 private:
  void Run(const Operation& operation, const http::Request& request, const Reply& reply);
  Status Authenticate(const http::Request& request) const;

  engine::Engine& engine_;
  const auth::Authenticator& authenticator_;
  const ServiceOptions options_;
  engine::WorkerPool workers_;
};

}  // namespace monotable::api::dynamodb

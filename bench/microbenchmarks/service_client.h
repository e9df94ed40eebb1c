#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "api/dynamodb/service.h"
#include "auth/authenticator.h"
#include "engine/clock.h"
#include "engine/engine.h"
#include "http/file_descriptor.h"
#include "http/inbox.h"
#include "http/message.h"
#include "http/request_parser.h"
#include "storage/store.h"
#include "work/executor.h"

namespace monotable::bench {

// A request as an AWS SDK sends it, head and body.
std::string HttpRequest(std::string_view operation, std::string_view body);

std::string GetItemBody(std::string_view table, uint64_t number);
std::string PutItemBody(std::string_view table, uint64_t number, uint64_t revision = 0);

// Reads requests that come in one piece.
class RequestReader {
 public:
  RequestReader();
  http::Request Read(std::string_view bytes);

 private:
  http::RequestParser parser_;
};

// The whole server above an empty store in memory, without its sockets: called on the thread of a
// benchmark as an event loop calls it. Has the tables "plain" and "sales". Not thread-safe.
class ServiceClient : private http::AnswerSink {
 public:
  ServiceClient();
  ~ServiceClient() override;
  ServiceClient(const ServiceClient&) = delete;
  ServiceClient& operator=(const ServiceClient&) = delete;

  void Send(std::string_view http_request);
  // Returns when every request sent has been answered. An answer that is no success ends the
  // program.
  void Wait();

 private:
  void Deliver(http::Answer answer) noexcept override;

  const std::unique_ptr<storage::Store> store_;
  const engine::SystemClock clock_;
  const auth::Authenticator authenticator_{auth::Credentials()};
  const std::unique_ptr<engine::Engine> engine_;
  work::Executor executor_;
  api::dynamodb::Service service_;
  const std::shared_ptr<http::Inbox> inbox_;
  const http::FileDescriptor epoll_;
  RequestReader reader_;
  size_t unanswered_ = 0;
};

}  // namespace monotable::bench

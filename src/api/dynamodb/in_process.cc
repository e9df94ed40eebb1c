#include "api/dynamodb/in_process.h"

#include <cerrno>
#include <memory>
#include <utility>

#include <poll.h>

#include "api/dynamodb/constraint_check.h"
#include "api/dynamodb/error_json.h"
#include "api/dynamodb/operation_table.h"
#include "api/dynamodb/type_check.h"
#include "http/inbox.h"
#include "json/parse.h"

namespace monotable::api::dynamodb {
namespace {

constexpr std::string_view kMediaType = "application/json";

Result<json::Object> CheckBody(const Shape& shape, const json::Element& root) {
  TRY(CheckTypes(shape, root));
  json::Object body;
  // Null has the type of everything, but is no request.
  if (!root.Get(&body)) return Error(ErrorCode::kSerialization, "");
  TRY(CheckConstraints(shape, body));
  return body;
}

// Stands where the connection of a client would: takes the one answer of an operation.
class Waiter {
 public:
  http::Responder responder() const {
    return http::Responder(std::make_shared<http::Responder::Target>(inbox_, 0));
  }

  Result<http::Response> Wait() {
    while (true) {
      http::Inbox::Contents contents = inbox_->Take();
      if (!contents.answers.empty()) {
        if (auto response = contents.answers.front().Take()) return *std::move(response);
        return Error::Internal("an operation gave no answer");
      }
      pollfd wait{inbox_->event_fd(), POLLIN, 0};
      if (poll(&wait, 1, -1) < 0 && errno != EINTR) {
        return Error::Internal("waiting for the answer of an operation failed");
      }
    }
  }

 private:
  std::shared_ptr<http::Inbox> inbox_ = std::make_shared<http::Inbox>();
};

}  // namespace

Result<std::string> CallInProcess(engine::Engine& engine, std::string_view operation,
                                  std::string_view body) {
  const Operation* found = FindOperation(std::string(kDynamoDbTarget).append(operation));
  if (found == nullptr) return Error(ErrorCode::kUnknownOperation, "");
  std::string padded;
  padded.reserve(body.size() + json::kPadding);
  padded = body;
  json::Parser parser;
  TRY_ASSIGN(const json::Element root, parser.Parse(padded));
  TRY_ASSIGN(const json::Object request, CheckBody(found->input, root));
  Waiter waiter;
  {
    // Goes before the wait, so that an operation that drops its reply is noticed.
    const Reply reply(waiter.responder(), kMediaType);
    found->run({engine, request, std::string_view(), reply});
  }
  TRY_ASSIGN(http::Response response, waiter.Wait());
  if (response.status != 200) return DecodeError(response.status, response.body);
  return std::move(response.body);
}

}  // namespace monotable::api::dynamodb

#include "api/dynamodb/service.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "api/dynamodb/constraint_check.h"
#include "api/dynamodb/error_json.h"
#include "api/dynamodb/type_check.h"
#include "text/words.h"

namespace monotable::api::dynamodb {
namespace {

constexpr std::string_view kAmazonJson = "application/x-amz-json-1.0";
constexpr std::string_view kPlainJson = "application/json";

std::string_view PathOf(std::string_view target) {
  return target.substr(0, target.find('?'));
}

// The media type to answer with, which is that of the request; nullopt if it is no JSON.
std::optional<std::string_view> MediaType(std::string_view content_type) {
  std::string_view type = content_type.substr(0, content_type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  if (text::EqualsIgnoringCase(type, kAmazonJson)) return kAmazonJson;
  if (text::EqualsIgnoringCase(type, kPlainJson)) return kPlainJson;
  return std::nullopt;
}

// Why a body that is no object is refused. Null has the type of everything, but is no request.
Error NoStructure(const Shape& shape, const json::Element& root) {
  const Status types = CheckTypes(shape, root);
  return types ? Error(ErrorCode::kSerialization, "") : types.error();
}

http::Response PlainText(int status, std::string body) {
  http::Response response;
  response.status = status;
  response.content_type = "text/plain";
  response.headers.emplace_back("Server", "Server");
  response.headers.emplace_back("x-amzn-RequestId", NewRequestId());
  response.body = std::move(body);
  return response;
}

// What a failure below the protocol is called, so that SDKs can read it and retry.
ErrorCode CodeOfStatus(int status) {
  if (status == 413) return ErrorCode::kRequestEntityTooLarge;
  if (status == 500) return ErrorCode::kInternal;
  return status == 503 ? ErrorCode::kUnavailable : ErrorCode::kSerialization;
}

}  // namespace

Service::Service(engine::Engine& engine, const auth::Authenticator& authenticator,
                 ServiceOptions options)
    : engine_(engine),
      authenticator_(authenticator),
      options_(options),
      workers_(options.workers, options.max_queued) {}

void Service::Handle(http::Request request, http::Responder responder) {
  const bool root = PathOf(request.target()) == "/";
  if (root && request.method() == "GET") {
    // What load balancers ask the service for, down to the blank at the end.
    return responder.Send(
        PlainText(200, "healthy: dynamodb." + engine_.options().region + ".amazonaws.com "));
  }
  const auto media_type = MediaType(request.header("Content-Type"));
  if (!root || request.method() != "POST" || !media_type) {
    return responder.Send(PlainText(404, "<UnknownOperationException/>\n"));
  }
  const Reply reply(std::move(responder), *media_type);
  const Operation* operation = FindOperation(request.header("X-Amz-Target"));
  if (operation == nullptr) return reply.Fail(Error(ErrorCode::kUnknownOperation, ""));

  if (operation->place == Place::kInline && request.body().size() <= options_.max_inline_body) {
    return Run(*operation, request, reply);
  }
  const auto shared = std::make_shared<const http::Request>(std::move(request));
  const bool posted =
      workers_.TryPost([this, operation, shared, reply] { Run(*operation, *shared, reply); });
  if (!posted) {
    reply.Fail(Error(ErrorCode::kThrottling, "Rate of requests exceeds the allowed throughput."));
  }
}

http::Response Service::HandleProtocolError(int status, std::string_view reason, std::string_view) {
  std::string body;
  EncodeError(Error(CodeOfStatus(status), std::string(reason)), &body);
  return MakeResponse(status, kAmazonJson, std::move(body));
}

// The service looks at a request in this order: is it JSON, who asks, are the types those of the
// operation, are its constraints kept. Only then does the request mean something.
void Service::Run(const Operation& operation, const http::Request& request, const Reply& reply) {
  thread_local json::Parser parser;
  const auto root = parser.Parse(request.body());
  if (!root) return reply.Fail(root.error());
  json::Object body;
  if (!root->Get(&body)) return reply.Fail(NoStructure(operation.input, *root));
  if (const Status signer = Authenticate(request); !signer) return reply.Fail(signer.error());
  if (const Status types = CheckTypes(operation.input, *root); !types) {
    return reply.Fail(types.error());
  }
  if (const Status constraints = CheckConstraints(operation.input, body); !constraints) {
    return reply.Fail(constraints.error());
  }
  operation.run({engine_, body, request.header("Host"), reply, options_.administration});
}

Status Service::Authenticate(const http::Request& request) const {
  thread_local std::vector<auth::Header> headers;
  headers.clear();
  for (const auto& header : request.headers()) headers.push_back({header.name, header.value});
  // Clients sign with the real time, whatever the clock of the engine says.
  TRY(authenticator_.Authenticate({request.method(), request.target(), headers, request.body()},
                                  engine::SystemClock().NowMs()));
  return {};
}

}  // namespace monotable::api::dynamodb

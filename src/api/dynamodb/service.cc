#include "api/dynamodb/service.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <libdeflate.h>

#include "api/dynamodb/answer.h"
#include "api/dynamodb/operation_table.h"
#include "telemetry/log.h"
#include "text/words.h"
#include "wire/constraint_check.h"
#include "wire/error_json.h"
#include "wire/request_id.h"
#include "wire/type_check.h"
#include "work/meter.h"

namespace monotable::api::dynamodb {
namespace {

constexpr std::string_view kAmazonJson = "application/x-amz-json-1.0";
constexpr std::string_view kPlainJson = "application/json";

// An answer that shows more than this is made by the executor instead of the I/O thread.
constexpr size_t kInlineImageBytes = size_t{64} << 10;

std::string_view PathOf(std::string_view target) {
  return target.substr(0, target.find('?'));
}

// The media type to answer with, which is that of the request; nullopt if it is not JSON.
std::optional<std::string_view> MediaType(std::string_view content_type) {
  std::string_view type = content_type.substr(0, content_type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  if (text::EqualsIgnoringCase(type, kAmazonJson)) return kAmazonJson;
  if (text::EqualsIgnoringCase(type, kPlainJson)) return kPlainJson;
  return std::nullopt;
}

json::Parser& ParserOfThread() {
  thread_local json::Parser parser;
  return parser;
}

// Why a body that is not an object is refused. Null has the type of everything, but is not a
// request.
Error NoStructure(const Shape& shape, const json::Element& root) {
  const Status types = wire::CheckTypes(shape, root);
  return types ? Error(ErrorCode::kSerialization, "") : types.error();
}

// An answer with the headers that the service sends.
http::Response WithHeaders(int status, std::string_view media_type, std::string body) {
  const uint32_t crc = libdeflate_crc32(0, body.data(), body.size());
  http::Response response;
  response.status = status;
  response.content_type = media_type;
  response.headers.reserve(3);
  response.headers.emplace_back("Server", "Server");
  response.headers.emplace_back("x-amzn-RequestId", wire::NewRequestId());
  response.headers.emplace_back("x-amz-crc32", std::to_string(crc));
  response.body = std::move(body);
  return response;
}

// The answer of an operation as a response, in the media type of the request: clients that send
// plain application/json get it back.
http::Response MakeResponse(Answer answer, std::string_view media_type) {
  if (answer) return WithHeaders(200, media_type, std::move(*answer));
  const Error& error = answer.error();
  // The client is not told the reason, so the log must have it.
  if (error.code() == ErrorCode::kInternal) {
    telemetry::Log(telemetry::LogLevel::kError, "request failed: {}", error.message());
  }
  std::string body;
  EncodeError(error, &body);
  return WithHeaders(wire::HttpStatus(error.code()), media_type, std::move(body));
}

// What was made while the work was stopped is not complete.
http::Response UnlessStopped(http::Response response, std::string_view media_type) {
  return work::Stopped() ? MakeResponse(work::StopError(), media_type) : std::move(response);
}

http::Response PlainText(int status, std::string body) {
  http::Response response;
  response.status = status;
  response.content_type = "text/plain";
  response.headers.emplace_back("Server", "Server");
  response.headers.emplace_back("x-amzn-RequestId", wire::NewRequestId());
  response.body = std::move(body);
  return response;
}

// The error that stands for a failure below the protocol, so that SDKs can read it and retry.
ErrorCode CodeOfStatus(int status) {
  if (status == 403) return ErrorCode::kAccessDenied;
  if (status == 413) return ErrorCode::kRequestEntityTooLarge;
  if (status == 500) return ErrorCode::kInternal;
  return status == 503 ? ErrorCode::kUnavailable : ErrorCode::kSerialization;
}

}  // namespace

Service::Service(engine::Engine& engine, work::Executor& executor,
                 const auth::Authenticator& authenticator, ServiceOptions options)
    : engine_(engine), executor_(executor), authenticator_(authenticator), options_(options) {}

void Service::Handle(http::Request request, http::Responder responder) {
  const bool root = PathOf(request.target()) == "/";
  if (root && request.method() == "GET") {
    // Load balancers ask for this text, including the blank at the end.
    return responder.Send(
        PlainText(200, "healthy: dynamodb." + engine_.options().region + ".amazonaws.com "));
  }
  const auto media_type = MediaType(request.header("Content-Type"));
  if (!root || request.method() != "POST" || !media_type) {
    return responder.Send(PlainText(404, "<UnknownOperationException/>\n"));
  }
  const Operation* operation = FindOperation(request.header("X-Amz-Target"));
  if (operation == nullptr) {
    return responder.Send(MakeResponse(Error(ErrorCode::kUnknownOperation, ""), *media_type));
  }
  if (operation->place == Place::kInline && request.body().size() <= options_.max_inline_body &&
      TryInline(*operation, request, responder, *media_type)) {
    return;
  }
  const auto shared = std::make_shared<const http::Request>(std::move(request));
  const Status posted =
      executor_.Post([this, operation, shared, responder,
                      type = *media_type] { Run(*operation, *shared, responder, type); },
                     responder.client());
  if (!posted) responder.Send(MakeResponse(posted.error(), *media_type));
}

http::Response Service::HandleProtocolError(int status, std::string_view reason, std::string_view) {
  std::string body;
  EncodeError(Error(CodeOfStatus(status), std::string(reason)), &body);
  return WithHeaders(status, kAmazonJson, std::move(body));
}

// An operation that calls back only submits its write here. One that returns reads, and it is not
// known before how much.
bool Service::TryInline(const Operation& operation, const http::Request& request,
                        const http::Responder& responder, std::string_view media_type) {
  const work::ClientPtr client = responder.client();
  if (operation.returns == nullptr) {
    const work::ClientScope scope(client);
    Run(operation, request, responder, media_type);
    return true;
  }
  if (client->account() != nullptr && client->account()->is_heavy()) return false;
  const work::Meter meter(work::kInlineUnits);
  const Result<json::Object> body = Read(operation, request, ParserOfThread());
  Answer answer = body ? operation.returns(CallOf(request, *body)) : Answer(body.error());
  if (meter.stopped()) return false;
  responder.Send(MakeResponse(std::move(answer), media_type));
  return true;
}

Call Service::CallOf(const http::Request& request, const json::Object& body) const {
  return {engine_, body, request.header("Host"), options_.administration};
}

void Service::Run(const Operation& operation, const http::Request& request,
                  const http::Responder& responder, std::string_view media_type) {
  // What a parser needs for a large body must not stay with the thread.
  json::Parser own;
  const bool is_large = request.body().size() > options_.max_inline_body;
  const Result<json::Object> body = Read(operation, request, is_large ? own : ParserOfThread());
  if (!body) return responder.Send(MakeResponse(body.error(), media_type));
  const Call call = CallOf(request, *body);
  if (operation.returns != nullptr) {
    return responder.Send(
        UnlessStopped(MakeResponse(operation.returns(call), media_type), media_type));
  }
  operation.calls_back(call, [this, responder, media_type](MakeAnswer make) {
    if (make.image_bytes <= kInlineImageBytes) {
      return responder.SendMade(
          [make = std::move(make), media_type] { return MakeResponse(make(), media_type); });
    }
    executor_.Continue(
        [responder, media_type, make = std::move(make)] {
          responder.Send(UnlessStopped(MakeResponse(make(), media_type), media_type));
        },
        responder.client());
  });
}

// The service looks at a request in this order: is it JSON, who asks, are the types those of the
// operation, are its constraints kept. Only then does the request mean something.
Result<json::Object> Service::Read(const Operation& operation, const http::Request& request,
                                   json::Parser& parser) const {
  TRY_ASSIGN(const json::Element root, parser.Parse(request.body()));
  json::Object body;
  if (!root.Get(&body)) return NoStructure(operation.input, root);
  TRY(Authenticate(request));
  TRY(wire::CheckTypes(operation.input, root));
  TRY(wire::CheckConstraints(operation.input, body));
  return body;
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

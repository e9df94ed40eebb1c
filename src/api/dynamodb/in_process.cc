#include "api/dynamodb/in_process.h"

#include <future>
#include <memory>
#include <utility>

#include "api/dynamodb/operation_table.h"
#include "json/parse.h"
#include "telemetry/log.h"
#include "wire/constraint_check.h"
#include "wire/type_check.h"

namespace monotable::api::dynamodb {
namespace {

Result<json::Object> CheckBody(const Shape& shape, const json::Element& root) {
  TRY(wire::CheckTypes(shape, root));
  json::Object body;
  // Null has the type of everything, but is not a request.
  if (!root.Get(&body)) return Error(ErrorCode::kSerialization, "");
  TRY(wire::CheckConstraints(shape, body));
  return body;
}

// Runs an operation that answers later, and waits for its answer.
Answer Wait(const Operation& operation, const Call& call) {
  auto promise = std::make_shared<std::promise<MakeAnswer>>();
  std::future<MakeAnswer> made = promise->get_future();
  // The callback has the only reference to the promise, so an operation that drops the callback
  // breaks the promise.
  operation.calls_back(call, [promise = std::move(promise)](MakeAnswer make) {
    promise->set_value(std::move(make));
  });
  try {
    return made.get()();
  } catch (const std::future_error&) {
    return Error::Internal("an operation gave no answer");
  }
}

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
  const Call call{engine, request, std::string_view()};
  Answer answer = found->returns != nullptr ? found->returns(call) : Wait(*found, call);
  if (!answer && answer.error().code() == ErrorCode::kInternal) {
    telemetry::Log(telemetry::LogLevel::kError, "request failed: {}", answer.error().message());
    return Error::Internal("Internal server error");
  }
  return answer;
}

}  // namespace monotable::api::dynamodb

#include "api/dynamodb/reply.h"

#include <utility>

#include <libdeflate.h>

#include "api/dynamodb/answer.h"
#include "telemetry/log.h"
#include "wire/error_json.h"
#include "wire/request_id.h"

namespace monotable::api::dynamodb {

http::Response MakeResponse(int status, std::string_view media_type, std::string body) {
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

http::Response MakeResponse(const Error& error, std::string_view media_type) {
  // The client is told nothing, so the log must be.
  if (error.code() == ErrorCode::kInternal) {
    telemetry::Log(telemetry::LogLevel::kError, "request failed: {}", error.message());
  }
  std::string body;
  EncodeError(error, &body);
  return MakeResponse(wire::HttpStatus(error.code()), media_type, std::move(body));
}

}  // namespace monotable::api::dynamodb

#include "api/dynamodb/reply.h"

#include <random>
#include <utility>

#include <libdeflate.h>

#include "api/dynamodb/error_json.h"
#include "telemetry/log.h"

namespace monotable::api::dynamodb {

std::string NewRequestId() {
  // Those of the service are in base 32, too.
  static constexpr std::string_view kCharacters = "0123456789ABCDEFGHIJKLMNOPQRSTUV";
  constexpr size_t kLength = 52;
  constexpr size_t kCharactersPerDraw = 12;
  thread_local std::mt19937_64 random{std::random_device{}()};
  std::string id(kLength, '\0');
  uint64_t draw = 0;
  for (size_t i = 0; i < kLength; ++i) {
    if (i % kCharactersPerDraw == 0) draw = random();
    id[i] = kCharacters[draw % 32];
    draw /= 32;
  }
  return id;
}

http::Response MakeResponse(int status, std::string_view media_type, std::string body) {
  const uint32_t crc = libdeflate_crc32(0, body.data(), body.size());
  http::Response response;
  response.status = status;
  response.content_type = media_type;
  response.headers.reserve(3);
  response.headers.emplace_back("Server", "Server");
  response.headers.emplace_back("x-amzn-RequestId", NewRequestId());
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
  return MakeResponse(HttpStatus(error.code()), media_type, std::move(body));
}

}  // namespace monotable::api::dynamodb

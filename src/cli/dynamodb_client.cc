#include "cli/dynamodb_client.h"

#include <chrono>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "auth/sigv4.h"
#include "wire/error_json.h"

namespace monotable::cli {
namespace {

constexpr std::string_view kService = "dynamodb";
constexpr std::string_view kDefaultEndpoint = "http://127.0.0.1:8000";
constexpr std::chrono::hours kPatienceForBackups{24};

// Reads the first of the variables that is set.
void ReadVariable(std::initializer_list<const char*> names, std::string* value) {
  for (const char* name : names) {
    const char* found = std::getenv(name);
    if (found == nullptr || *found == '\0') continue;
    *value = found;
    return;
  }
}

}  // namespace

SigningKeys SigningKeys::FromEnvironment() {
  SigningKeys keys;
  ReadVariable({"MONOTABLE_ACCESS_KEY_ID", "AWS_ACCESS_KEY_ID"}, &keys.access_key_id);
  ReadVariable({"MONOTABLE_SECRET_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY"}, &keys.secret_access_key);
  ReadVariable({"AWS_SESSION_TOKEN"}, &keys.session_token);
  ReadVariable({"AWS_REGION", "AWS_DEFAULT_REGION"}, &keys.region);
  return keys;
}

std::vector<HttpHeader> SignedHeaders(const Endpoint& endpoint, const SigningKeys& keys,
                                      int64_t now_seconds, std::string_view target,
                                      std::string_view body) {
  const std::string host = endpoint.authority();
  const std::string timestamp = auth::FormatTimestamp(now_seconds);
  // Signatures need the headers in the order of their names.
  std::vector<auth::Header> headers = {
      {"content-type", "application/x-amz-json-1.0"}, {"host", host}, {"x-amz-date", timestamp}};
  if (!keys.session_token.empty()) headers.push_back({"x-amz-security-token", keys.session_token});
  headers.push_back({"x-amz-target", target});

  auth::Authorization authorization;
  for (const auth::Header& header : headers) {
    if (!authorization.signed_headers.empty()) authorization.signed_headers += ';';
    authorization.signed_headers += header.name;
  }
  const auth::SigningScope scope{std::string_view(timestamp).substr(0, 8), keys.region, kService};
  const std::string canonical = auth::CanonicalRequest({"POST", "/", headers, body}, authorization);
  const std::string signature = auth::Sign(auth::DeriveSigningKey(keys.secret_access_key, scope),
                                           auth::StringToSign(canonical, timestamp, scope));

  std::vector<HttpHeader> sent;
  sent.reserve(headers.size() + 1);
  for (const auth::Header& header : headers) {
    sent.push_back({std::string(header.name), std::string(header.value)});
  }
  sent.push_back(
      {"authorization", fmt::format("AWS4-HMAC-SHA256 Credential={}/{}/{}/{}/aws4_request, "
                                    "SignedHeaders={}, Signature={}",
                                    keys.access_key_id, scope.date, scope.region, scope.service,
                                    authorization.signed_headers, signature)});
  return sent;
}

Result<deploy::Call> CallOf(std::string_view endpoint_url, SigningKeys keys, CallOptions options) {
  TRY_ASSIGN(Endpoint endpoint,
             ParseEndpoint(endpoint_url.empty() ? kDefaultEndpoint : endpoint_url));
  const auto client = std::make_shared<HttpClient>(endpoint, std::move(options.http));
  const auto call = [endpoint = std::move(endpoint), keys = std::move(keys), client,
                     service = options.service](std::string_view operation,
                                                std::string_view body) -> Result<std::string> {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
    const std::string target = std::string(service).append(operation);
    TRY_ASSIGN(HttpAnswer answer,
               client->Post(SignedHeaders(endpoint, keys, seconds, target, body), body));
    if (answer.status != 200) return wire::DecodeError(answer.status, answer.body);
    return std::move(answer.body);
  };
  return deploy::Call(call);
}

Result<deploy::Call> OwnCallOf(std::string_view endpoint_url, std::string_view ca_file) {
  CallOptions options;
  options.service = api::dynamodb::kOwnTarget;
  options.http = {.patience = kPatienceForBackups, .ca_file = std::string(ca_file)};
  return CallOf(endpoint_url, SigningKeys::FromEnvironment(), std::move(options));
}

}  // namespace monotable::cli

#include "auth/jwt.h"

#include <optional>

#include "auth/crypto.h"
#include "json/base64.h"
#include "json/parse.h"

namespace monotable::auth {
namespace {

// The clocks of issuer and server may differ by this much.
constexpr double kLeewaySeconds = 60;

Error Refused(std::string sentence) {
  return Error(ErrorCode::kUnrecognizedClient, std::move(sentence));
}

Error Malformed() {
  return Refused("The bearer token is no JSON web token.");
}

// The object that a part of a token holds, in base64url.
Result<json::Object> ParsePart(std::string_view part, json::Parser* parser, std::string* text) {
  auto decoded = json::DecodeBase64Url(part);
  if (!decoded) return Malformed();
  *text = *std::move(decoded);
  text->reserve(text->size() + json::kPadding);
  const auto root = parser->Parse(*text);
  json::Object object;
  if (!root || !root->Get(&object)) return Malformed();
  return object;
}

bool HasSignature(std::string_view signed_text, std::string_view signature,
                  std::string_view secret) {
  const auto decoded = json::DecodeBase64Url(signature);
  const Sha256Digest expected = HmacSha256(secret, signed_text);
  return decoded && EqualsInConstantTime(*decoded, BytesOf(expected));
}

// The time of a claim in seconds; an error if the claim is not a number, or is there twice and
// nobody knows which the issuer meant.
Result<std::optional<double>> TimeOf(const json::Object& claims, std::string_view name) {
  std::optional<double> time;
  for (const auto& member : claims) {
    if (member.key != name) continue;
    double seconds = 0;
    if (time || !member.value.Get(&seconds)) return Malformed();
    time = seconds;
  }
  return time;
}

Status CheckTimes(const json::Object& claims, TokenExpiry expiry, int64_t now_ms) {
  const double now = static_cast<double>(now_ms) / 1000;
  TRY_ASSIGN(const std::optional<double> expires, TimeOf(claims, "exp"));
  if (!expires && expiry == TokenExpiry::kRequired) {
    return Refused("The bearer token has no expiry. Give it the claim exp, in seconds since 1970.");
  }
  if (expires && now >= *expires + kLeewaySeconds) return Refused("The bearer token has expired.");
  TRY_ASSIGN(const std::optional<double> begins, TimeOf(claims, "nbf"));
  if (begins && now < *begins - kLeewaySeconds) {
    return Refused("The bearer token is not valid yet.");
  }
  return {};
}

TokenClaims ReadClaims(const json::Object& object) {
  TokenClaims result;
  for (const auto& member : object) {
    std::string_view text;
    int64_t integer = 0;
    if (member.value.Get(&text)) {
      result.claims.emplace_back(member.key, text);
    } else if (member.value.Get(&integer)) {
      result.claims.emplace_back(member.key, std::to_string(integer));
    }
  }
  if (const std::string* subject = result.Find("sub")) result.subject = *subject;
  return result;
}

}  // namespace

const std::string* TokenClaims::Find(std::string_view name) const {
  const std::string* found = nullptr;
  for (const auto& [claim, value] : claims) {
    if (claim != name) continue;
    // With two claims of one name, nobody knows which the issuer meant.
    if (found != nullptr) return nullptr;
    found = &value;
  }
  return found;
}

TokenVerifier::~TokenVerifier() {
  Wipe(&secret_);
}

Result<TokenClaims> TokenVerifier::Verify(std::string_view token, int64_t now_ms) const {
  const size_t first = token.find('.');
  const size_t second = first == std::string_view::npos ? first : token.find('.', first + 1);
  if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos) {
    return Malformed();
  }
  thread_local json::Parser parser;
  std::string text;
  TRY_ASSIGN(const json::Object header, ParsePart(token.substr(0, first), &parser, &text));
  const auto algorithm = json::Find(header, "alg");
  if (!algorithm || json::StringOf(*algorithm) != "HS256") {
    return Refused("The bearer token must be signed with HS256.");
  }
  // RFC 7515 section 4.1.11: `crit` lists extensions that must be understood. This server
  // understands none.
  if (json::Find(header, "crit")) return Refused("The bearer token needs an unknown extension.");
  // Without a secret anybody could sign.
  if (!has_secret() || !HasSignature(token.substr(0, second), token.substr(second + 1), secret_)) {
    return Refused("The signature of the bearer token is wrong.");
  }
  TRY_ASSIGN(const json::Object claims,
             ParsePart(token.substr(first + 1, second - first - 1), &parser, &text));
  TRY(CheckTimes(claims, expiry_, now_ms));
  return ReadClaims(claims);
}

}  // namespace monotable::auth

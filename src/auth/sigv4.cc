#include "auth/sigv4.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "text/words.h"
#include "time/calendar.h"

namespace monotable::auth {

std::string_view SignedRequest::header(std::string_view name) const {
  for (const Header& header : headers) {
    if (text::EqualsIgnoringCase(header.name, name)) return header.value;
  }
  return {};
}

std::optional<int64_t> ParseTimestamp(std::string_view text) {
  std::optional<int64_t> instant = time::Parse(text, time::kBasic);
  if (!instant) instant = time::ParseHttpDate(text);
  if (!instant) return std::nullopt;
  return time::WholeSeconds(*instant);
}

std::string FormatTimestamp(int64_t seconds) {
  return time::Format(seconds * 1000, time::kBasic);
}

namespace {

// Neither a key id nor a scope element can hold a slash.
std::string CacheKey(std::string_view access_key_id, const SigningScope& scope) {
  return fmt::format("{}/{}/{}/{}", access_key_id, scope.date, scope.region, scope.service);
}

}  // namespace

Sha256Digest DeriveSigningKey(std::string_view secret, const SigningScope& scope) {
  const Sha256Digest date = HmacSha256(fmt::format("AWS4{}", secret), scope.date);
  const Sha256Digest region = HmacSha256(BytesOf(date), scope.region);
  const Sha256Digest service = HmacSha256(BytesOf(region), scope.service);
  return HmacSha256(BytesOf(service), "aws4_request");
}

std::optional<Sha256Digest> SigningKeyCache::Find(std::string_view access_key_id,
                                                  const SigningScope& scope) const {
  const std::string key = CacheKey(access_key_id, scope);
  const std::shared_lock lock(mutex_);
  const auto found = keys_.find(key);
  if (found == keys_.end()) return std::nullopt;
  return found->second;
}

void SigningKeyCache::Insert(std::string_view access_key_id, const SigningScope& scope,
                             const Sha256Digest& key) {
  const std::unique_lock lock(mutex_);
  if (keys_.size() >= kMaxKeys) keys_.clear();
  keys_.insert_or_assign(CacheKey(access_key_id, scope), key);
}

namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr int64_t kDefaultExpirySeconds = 15 * 60;
constexpr int64_t kMaxExpirySeconds = 7 * 24 * 3600;

Error IncompleteSignature(std::string message) {
  return Error(ErrorCode::kIncompleteSignature, std::move(message));
}

// Removes the text up to the next separator from the front and returns it.
std::string_view TakeUntil(std::string_view* text, char separator) {
  const size_t end = text->find(separator);
  const std::string_view taken = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  return taken;
}

// Removes the next component from the front and returns it; empty at the end. Clients separate
// components by commas, blanks or both. This avoids find_first_of, which calls a function for each
// character.
std::string_view TakeComponent(std::string_view* text) {
  const auto is_separator = [](char c) { return c == ',' || c == ' ' || c == '\t'; };
  const auto begin = std::find_if_not(text->begin(), text->end(), is_separator);
  const auto end = std::find_if(begin, text->end(), is_separator);
  text->remove_prefix(static_cast<size_t>(end - text->begin()));
  return {begin, end};
}

Status ParseCredential(std::string_view credential, Authorization* out) {
  if (std::count(credential.begin(), credential.end(), '/') != 4) {
    return IncompleteSignature(
        fmt::format("Credential must have exactly 5 slash-delimited elements, e.g. "
                    "keyid/date/region/service/term, got '{}'",
                    credential));
  }
  out->access_key_id = TakeUntil(&credential, '/');
  out->scope_date = TakeUntil(&credential, '/');
  out->region = TakeUntil(&credential, '/');
  out->service = TakeUntil(&credential, '/');
  return {};
}

Result<Authorization> ParseHeader(const SignedRequest& request, std::string_view header) {
  Authorization authorization;
  std::string_view credential;
  std::string_view rest = header;
  const std::string_view algorithm = TakeUntil(&rest, ' ');
  while (true) {
    const std::string_view component = TakeComponent(&rest);
    if (component.empty()) break;
    std::string_view value = component;
    const std::string_view key = TakeUntil(&value, '=');
    if (key.size() == component.size()) {
      return IncompleteSignature(fmt::format(
          "'{}' not a valid key=value pair (missing equal-sign) in Authorization header: '{}'.",
          component, header));
    }
    if (key == "Credential") credential = value;
    if (key == "SignedHeaders") authorization.signed_headers = value;
    if (key == "Signature") authorization.signature = value;
  }
  authorization.date = request.header("x-amz-date");
  if (authorization.date.empty()) authorization.date = request.header("date");

  std::string missing;
  const auto require = [&missing](bool present, std::string_view name) {
    if (!present) missing += fmt::format("Authorization header requires '{}' parameter. ", name);
  };
  require(!credential.empty(), "Credential");
  require(!authorization.signature.empty(), "Signature");
  require(!authorization.signed_headers.empty(), "SignedHeaders");
  if (authorization.date.empty()) {
    missing +=
        "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ";
  }
  if (!missing.empty()) {
    return IncompleteSignature(fmt::format("{}Authorization={}", missing, header));
  }
  if (algorithm != kAlgorithm) {
    return IncompleteSignature(fmt::format("Unsupported AWS 'algorithm': '{}'.", algorithm));
  }
  TRY(ParseCredential(credential, &authorization));
  return authorization;
}

// Decodes percent encoding. Malformed sequences stay as they are.
std::string Decode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      const int high = text::HexDigit(text[i + 1]);
      const int low = text::HexDigit(text[i + 2]);
      if (high >= 0 && low >= 0) {
        decoded.push_back(static_cast<char>(high * 16 + low));
        i += 2;
        continue;
      }
    }
    decoded.push_back(text[i]);
  }
  return decoded;
}

// Percent encoding as Signature Version 4 defines it: everything but letters, digits and "-._~" is
// encoded, in upper case. Slashes stay in paths.
void AppendEncoded(std::string_view text, bool is_path, std::string* out) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (const char c : text) {
    const bool plain = text::IsAlphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~' ||
                       (is_path && c == '/');
    if (plain) {
      out->push_back(c);
    } else {
      const auto byte = static_cast<uint8_t>(c);
      out->push_back('%');
      out->push_back(kDigits[byte >> 4]);
      out->push_back(kDigits[byte & 15]);
    }
  }
}

std::vector<std::pair<std::string, std::string>> ParseQuery(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> parameters;
  while (!query.empty()) {
    std::string_view value = TakeUntil(&query, '&');
    if (value.empty()) continue;
    const std::string_view name = TakeUntil(&value, '=');
    parameters.emplace_back(Decode(name), Decode(value));
  }
  return parameters;
}

Result<Authorization> ParsePresigned(std::string_view query) {
  Authorization authorization;
  std::string algorithm;
  std::string credential;
  int64_t expires = kDefaultExpirySeconds;
  for (const auto& [name, value] : ParseQuery(query)) {
    if (name == "X-Amz-Algorithm") algorithm = value;
    if (name == "X-Amz-Credential") credential = value;
    if (name == "X-Amz-Signature") authorization.signature = value;
    if (name == "X-Amz-SignedHeaders") authorization.signed_headers = value;
    if (name == "X-Amz-Date") authorization.date = value;
    if (name == "X-Amz-Expires") {
      expires = text::ParseNumber<int64_t>(value).value_or(0);
      if (expires < 1 || expires > kMaxExpirySeconds) {
        return IncompleteSignature(
            fmt::format("X-Amz-Expires must be a number of seconds from 1 to {}, got '{}'.",
                        kMaxExpirySeconds, value));
      }
    }
  }
  std::string missing;
  const auto require = [&missing](const std::string& value, std::string_view name) {
    if (!value.empty()) return;
    missing += fmt::format("AWS query-string parameters must include '{}'. ", name);
  };
  require(algorithm, "X-Amz-Algorithm");
  require(credential, "X-Amz-Credential");
  require(authorization.signature, "X-Amz-Signature");
  require(authorization.signed_headers, "X-Amz-SignedHeaders");
  require(authorization.date, "X-Amz-Date");
  if (!missing.empty()) {
    return IncompleteSignature(missing + "Re-examine the query-string parameters.");
  }
  if (algorithm != kAlgorithm) {
    return IncompleteSignature(fmt::format("Unsupported AWS 'algorithm': '{}'.", algorithm));
  }
  TRY(ParseCredential(credential, &authorization));
  authorization.expires_seconds = expires;
  return authorization;
}

void AppendCanonicalQuery(std::string_view query, bool is_presigned, std::string* out) {
  std::vector<std::pair<std::string, std::string>> encoded;
  for (const auto& [name, value] : ParseQuery(query)) {
    // The signature of a presigned request is not part of what it signs.
    if (is_presigned && name == "X-Amz-Signature") continue;
    auto& [encoded_name, encoded_value] = encoded.emplace_back();
    AppendEncoded(name, false, &encoded_name);
    AppendEncoded(value, false, &encoded_value);
  }
  std::sort(encoded.begin(), encoded.end());
  for (size_t i = 0; i < encoded.size(); ++i) {
    if (i > 0) out->push_back('&');
    out->append(encoded[i].first).append("=").append(encoded[i].second);
  }
}

// Removes blanks around the value and turns each run of blanks within it into one.
void AppendCanonicalValue(std::string_view value, std::string* out) {
  bool blank = false;
  const size_t begin = out->size();
  for (const char c : value) {
    if (c == ' ' || c == '\t') {
      blank = true;
      continue;
    }
    if (blank && out->size() > begin) out->push_back(' ');
    blank = false;
    out->push_back(c);
  }
}

void AppendCanonicalHeader(const SignedRequest& request, std::string_view name, std::string* out) {
  out->append(name).push_back(':');
  bool first = true;
  for (const Header& header : request.headers) {
    if (!text::EqualsIgnoringCase(header.name, name)) continue;
    if (!first) out->push_back(',');
    first = false;
    AppendCanonicalValue(header.value, out);
  }
  out->push_back('\n');
}

// Whether the list of names, separated by semicolons, has the name, in any case.
bool HasName(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    if (text::EqualsIgnoringCase(TakeUntil(&names, ';'), name)) return true;
  }
  return false;
}

bool IsAmazonHeader(std::string_view name) {
  constexpr std::string_view kAmazon = "x-amz-";
  return name.size() > kAmazon.size() &&
         text::EqualsIgnoringCase(name.substr(0, kAmazon.size()), kAmazon);
}

Error NotSigned(std::string_view header) {
  return Error(ErrorCode::kInvalidSignature,
               fmt::format("{} must be a 'SignedHeader' in the AWS Authorization.", header));
}

}  // namespace

Result<Authorization> ParseAuthorization(const SignedRequest& request) {
  const std::string_view header = request.header("authorization");
  const std::string_view query = request.query();
  const bool is_presigned = query.find("X-Amz-Algorithm=") != std::string_view::npos;
  if (is_presigned && header.data() != nullptr) {
    return Error(ErrorCode::kInvalidSignature,
                 "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP "
                 "header.");
  }
  if (is_presigned) return ParsePresigned(query);
  if (!header.starts_with("AWS4-")) {
    return Error(ErrorCode::kMissingAuthenticationToken, "Request is missing Authentication Token");
  }
  return ParseHeader(request, header);
}

Status CheckSignedHeaders(const SignedRequest& request, const Authorization& authorization) {
  if (!HasName(authorization.signed_headers, "host")) return NotSigned("'Host' or ':authority'");
  for (const Header& header : request.headers) {
    if (!IsAmazonHeader(header.name)) continue;
    if (!HasName(authorization.signed_headers, header.name)) {
      return NotSigned(fmt::format("'{}'", header.name));
    }
  }
  return {};
}

std::string CanonicalRequest(const SignedRequest& request, const Authorization& authorization) {
  std::string text;
  text.reserve(1024);
  text.append(request.method).append("\n");
  // The path is encoded once more than on the wire, as for all services but S3.
  AppendEncoded(request.path(), true, &text);
  text.append("\n");
  AppendCanonicalQuery(request.query(), authorization.expires_seconds.has_value(), &text);
  text.append("\n");
  std::string_view names = authorization.signed_headers;
  while (!names.empty()) AppendCanonicalHeader(request, TakeUntil(&names, ';'), &text);
  text.append("\n").append(authorization.signed_headers).append("\n");
  text.append(Hex(Sha256(request.body)));
  return text;
}

std::string StringToSign(std::string_view canonical_request, std::string_view timestamp,
                         const SigningScope& scope) {
  return fmt::format("{}\n{}\n{}/{}/{}/aws4_request\n{}", kAlgorithm, timestamp, scope.date,
                     scope.region, scope.service, Hex(Sha256(canonical_request)));
}

std::string Sign(const Sha256Digest& signing_key, std::string_view string_to_sign) {
  const std::string_view key(reinterpret_cast<const char*>(signing_key.data()), signing_key.size());
  return Hex(HmacSha256(key, string_to_sign));
}

}  // namespace monotable::auth

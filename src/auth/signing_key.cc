#include "auth/signing_key.h"

#include <mutex>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

namespace monotable::auth {
namespace {

const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string_view View(const Sha256Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// Neither a key id nor a scope element can hold a slash.
std::string CacheKey(std::string_view access_key_id, const SigningScope& scope) {
  return fmt::format("{}/{}/{}/{}", access_key_id, scope.date, scope.region, scope.service);
}

}  // namespace

Sha256Digest Sha256(std::string_view text) {
  Sha256Digest digest;
  SHA256(Bytes(text), text.size(), digest.data());
  return digest;
}

Sha256Digest HmacSha256(std::string_view key, std::string_view text) {
  Sha256Digest digest;
  unsigned int size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), Bytes(text), text.size(),
       digest.data(), &size);
  return digest;
}

std::string Hex(const Sha256Digest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const uint8_t byte : digest) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

Sha256Digest DeriveSigningKey(std::string_view secret, const SigningScope& scope) {
  const Sha256Digest date = HmacSha256(fmt::format("AWS4{}", secret), scope.date);
  const Sha256Digest region = HmacSha256(View(date), scope.region);
  const Sha256Digest service = HmacSha256(View(region), scope.service);
  return HmacSha256(View(service), "aws4_request");
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

}  // namespace monotable::auth

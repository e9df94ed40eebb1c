#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>

namespace monotable::auth {

using Sha256Digest = std::array<uint8_t, 32>;

Sha256Digest Sha256(std::string_view text);
Sha256Digest HmacSha256(std::string_view key, std::string_view text);
std::string Hex(const Sha256Digest& digest);

// What a signing key is derived for, beside the secret.
struct SigningScope {
  std::string_view date;  // YYYYMMDD
  std::string_view region;
  std::string_view service;
};

// The key that signs the requests of one day, region and service.
Sha256Digest DeriveSigningKey(std::string_view secret, const SigningScope& scope);

// Remembers derived keys: clients sign a whole day's requests with one, and deriving it costs four
// HMACs. Callers insert only keys that have verified a signature, so that nobody without a secret
// can fill it; a full cache starts afresh. Thread-safe, lock mutex_.
class SigningKeyCache {
 public:
  std::optional<Sha256Digest> Find(std::string_view access_key_id, const SigningScope& scope) const;
  void Insert(std::string_view access_key_id, const SigningScope& scope, const Sha256Digest& key);

 private:
  static constexpr size_t kMaxKeys = 1024;

  mutable std::shared_mutex mutex_;
  std::map<std::string, Sha256Digest, std::less<>> keys_;  // guarded by mutex_
};

}  // namespace monotable::auth

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

// The few functions of OpenSSL that authentication needs. They share no state: thread-safe.
namespace monotable::auth {

using Sha256Digest = std::array<uint8_t, 32>;

Sha256Digest Sha256(std::string_view text);
Sha256Digest HmacSha256(std::string_view key, std::string_view text);
// Lower-case hexadecimal.
std::string Hex(const Sha256Digest& digest);

// Whether both are equal, in a time that tells nothing about where they differ.
bool EqualsInConstantTime(std::string_view a, std::string_view b);
// Overwrites a secret before its memory is given back.
void Wipe(std::string* secret);

inline std::string_view BytesOf(const Sha256Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace monotable::auth

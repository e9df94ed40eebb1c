#include "json/base64.h"

#include <array>
#include <cstdint>

#include <fmt/format.h>

namespace monotable::json {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kInvalid = 0xff;

constexpr std::array<uint8_t, 256> kValues = [] {
  std::array<uint8_t, 256> values{};
  for (auto& value : values) value = kInvalid;
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<uint8_t>(i);
  }
  return values;
}();

uint32_t ValueOf(char character) {
  return kValues[static_cast<unsigned char>(character)];
}
uint32_t ByteOf(char character) {
  return static_cast<unsigned char>(character);
}

Error Malformed(std::string message) {
  return Error(ErrorCode::kSerialization, std::move(message));
}

// Names the first character outside the alphabet, with all its bytes, because the message must stay
// valid UTF-8.
Error InvalidCharacter(std::string_view text) {
  size_t start = 0;
  while (start < text.size() && ValueOf(text[start]) != kInvalid) ++start;
  size_t end = start + 1;
  while (end < text.size() && (ByteOf(text[end]) & 0xc0) == 0x80) ++end;
  return Malformed(fmt::format("Invalid Base64 character: '{}'", text.substr(start, end - start)));
}

}  // namespace

void AppendBase64(std::string_view bytes, std::string* out) {
  const size_t start = out->size();
  out->resize(start + (bytes.size() + 2) / 3 * 4);
  char* to = out->data() + start;
  size_t at = 0;
  for (; at + 3 <= bytes.size(); at += 3) {
    const uint32_t group =
        ByteOf(bytes[at]) << 16 | ByteOf(bytes[at + 1]) << 8 | ByteOf(bytes[at + 2]);
    *to++ = kAlphabet[group >> 18];
    *to++ = kAlphabet[group >> 12 & 63];
    *to++ = kAlphabet[group >> 6 & 63];
    *to++ = kAlphabet[group & 63];
  }
  const size_t rest = bytes.size() - at;
  if (rest == 0) return;
  const uint32_t group = ByteOf(bytes[at]) << 16 | (rest == 2 ? ByteOf(bytes[at + 1]) << 8 : 0);
  *to++ = kAlphabet[group >> 18];
  *to++ = kAlphabet[group >> 12 & 63];
  *to++ = rest == 2 ? kAlphabet[group >> 6 & 63] : '=';
  *to++ = '=';
}

Result<std::string> DecodeBase64(std::string_view text) {
  if (text.size() % 4 != 0) {
    return Malformed(fmt::format(
        "Base64 encoded length is expected a multiple of 4 bytes but found: {}", text.size()));
  }
  std::string bytes;
  if (text.empty()) return bytes;
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  const std::string_view digits = text.substr(0, text.size() - padding);
  bytes.resize(text.size() / 4 * 3 - padding);
  char* to = bytes.data();
  size_t at = 0;
  uint32_t invalid = 0;  // the high bits of every value seen, looked at once per group of four
  for (; at + 4 <= digits.size(); at += 4) {
    const uint32_t a = ValueOf(digits[at]), b = ValueOf(digits[at + 1]);
    const uint32_t c = ValueOf(digits[at + 2]), d = ValueOf(digits[at + 3]);
    invalid |= a | b | c | d;
    const uint32_t group = a << 18 | b << 12 | c << 6 | d;
    *to++ = static_cast<char>(group >> 16);
    *to++ = static_cast<char>(group >> 8);
    *to++ = static_cast<char>(group);
  }
  uint32_t unused = 0;
  if (padding == 2) {
    const uint32_t a = ValueOf(digits[at]), b = ValueOf(digits[at + 1]);
    invalid |= a | b;
    unused = b & 15;
    *to++ = static_cast<char>(a << 2 | b >> 4);
  } else if (padding == 1) {
    const uint32_t a = ValueOf(digits[at]), b = ValueOf(digits[at + 1]),
                   c = ValueOf(digits[at + 2]);
    invalid |= a | b | c;
    unused = c & 3;
    *to++ = static_cast<char>(a << 2 | b >> 4);
    *to++ = static_cast<char>(b << 4 | c >> 2);
  }
  if (invalid > 63) return InvalidCharacter(digits);
  // The service misspells this one.
  if (unused != 0) return Malformed("Invalid last non-pad Base64 character dectected");
  return bytes;
}

void AppendBase64Url(std::string_view bytes, std::string* out) {
  const size_t start = out->size();
  AppendBase64(bytes, out);
  while (out->size() > start && out->back() == '=') out->pop_back();
  for (size_t i = start; i < out->size(); ++i) {
    char& digit = (*out)[i];
    digit = digit == '+' ? '-' : digit == '/' ? '_' : digit;
  }
}

Result<std::string> DecodeBase64Url(std::string_view text) {
  std::string standard(text);
  for (char& digit : standard) {
    // Characters that only the other alphabet has are replaced by one that neither has.
    const bool foreign = digit == '+' || digit == '/' || digit == '=';
    digit = foreign ? '!' : digit == '-' ? '+' : digit == '_' ? '/' : digit;
  }
  standard.append((4 - standard.size() % 4) % 4, '=');
  return DecodeBase64(standard);
}

}  // namespace monotable::json

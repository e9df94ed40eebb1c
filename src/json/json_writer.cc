#include "json/json_writer.h"

#include <bit>
#include <charconv>
#include <cstring>

namespace monotable::json {
namespace {

constexpr uint64_t kOnes = 0x0101010101010101ULL;
constexpr uint64_t kHighs = 0x8080808080808080ULL;

bool NeedsEscape(unsigned char byte) {
  return byte < 0x20 || byte == '"' || byte == '\\';
}

// Whether one of eight bytes needs escaping, by the usual "has a zero byte" and "has a byte less
// than n" arithmetic; bytes of multi-byte UTF-8 characters never need it.
bool AnyNeedsEscape(uint64_t bytes) {
  const uint64_t control = (bytes - kOnes * 0x20) & ~bytes;
  const uint64_t quote = bytes ^ (kOnes * '"');
  const uint64_t backslash = bytes ^ (kOnes * '\\');
  const uint64_t found = control | ((quote - kOnes) & ~quote) | ((backslash - kOnes) & ~backslash);
  return (found & kHighs) != 0;
}

// The length of the longest prefix of the text that needs no escaping.
size_t CleanPrefix(std::string_view text) {
  size_t at = 0;
  while (at + sizeof(uint64_t) <= text.size()) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    if (AnyNeedsEscape(bytes)) break;
    at += sizeof bytes;
  }
  while (at < text.size() && !NeedsEscape(static_cast<unsigned char>(text[at]))) ++at;
  return at;
}

char* PrintEscape(char character, char* at) {
  const auto two = [at](char letter) {
    at[0] = '\\';
    at[1] = letter;
    return at + 2;
  };
  switch (character) {
    case '"':
    case '\\':
      return two(character);
    case '\b':
      return two('b');
    case '\f':
      return two('f');
    case '\n':
      return two('n');
    case '\r':
      return two('r');
    case '\t':
      return two('t');
    default: {
      static constexpr char kHex[] = "0123456789ABCDEF";
      const auto byte = static_cast<unsigned char>(character);
      const char escape[] = {'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]};
      std::memcpy(at, escape, sizeof escape);
      return at + sizeof escape;
    }
  }
}

}  // namespace

void AppendString(std::string_view text, std::string* out) {
  out->push_back('"');
  while (!text.empty()) {
    const size_t clean = CleanPrefix(text);
    out->append(text.substr(0, clean));
    if (clean == text.size()) break;
    char escape[6];
    out->append(escape, PrintEscape(text[clean], escape));
    text.remove_prefix(clean + 1);
  }
  out->push_back('"');
}

namespace {

// The first bytes of a text of less than eight, and zeros. Reads nothing behind the text.
uint64_t LoadShort(const char* from, size_t size) {
  if (size >= 4) {
    uint32_t low = 0;
    uint32_t high = 0;
    std::memcpy(&low, from, sizeof low);
    std::memcpy(&high, from + size - sizeof high, sizeof high);
    return low | uint64_t{high} << (8 * (size - sizeof high));
  }
  uint64_t bytes = 0;
  for (size_t i = 0; i < size; ++i) {
    bytes |= uint64_t{static_cast<unsigned char>(from[i])} << (8 * i);
  }
  return bytes;
}

// Prints bytes of which at least one needs escaping.
char* PrintEscaped(const char* from, const char* end, char* at) {
  for (; from != end; ++from) {
    if (NeedsEscape(static_cast<unsigned char>(*from))) {
      at = PrintEscape(*from, at);
    } else {
      *at++ = *from;
    }
  }
  return at;
}

}  // namespace

// Bytes are copied eight at a time before they are checked; those that need escaping are then
// overwritten.
char* PrintString(std::string_view text, char* at) {
  static_assert(std::endian::native == std::endian::little);
  *at++ = '"';
  const char* from = text.data();
  const char* const end = from + text.size();
  for (; end - from >= 8; from += 8) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, from, sizeof bytes);
    std::memcpy(at, &bytes, sizeof bytes);
    at = AnyNeedsEscape(bytes) ? PrintEscaped(from, from + 8, at) : at + 8;
  }
  if (const auto rest = static_cast<size_t>(end - from); rest > 0) {
    const uint64_t bytes = LoadShort(from, rest);
    const uint64_t blanks = (kOnes * ' ') << (8 * rest);
    std::memcpy(at, &bytes, sizeof bytes);
    at = AnyNeedsEscape(bytes | blanks) ? PrintEscaped(from, end, at) : at + rest;
  }
  *at++ = '"';
  return at;
}

void AppendDouble(double value, std::string* out) {
  char buffer[400];  // enough for any double without an exponent
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed);
  const std::string_view digits(buffer, static_cast<size_t>(end.ptr - buffer));
  out->append(digits);
  if (digits.find('.') == std::string_view::npos) out->append(".0");
}

Writer& Writer::Key(std::string_view name) {
  Separate();
  AppendString(name, out_);
  out_->push_back(':');
  return *this;
}

Writer& Writer::String(std::string_view text) {
  Separate();
  AppendString(text, out_);
  return *this;
}

Writer& Writer::Integer(int64_t value) {
  Separate();
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
  out_->append(buffer, end.ptr);
  return *this;
}

Writer& Writer::Double(double value) {
  Separate();
  AppendDouble(value, out_);
  return *this;
}

Writer& Writer::Bool(bool flag) {
  Separate();
  out_->append(flag ? "true" : "false");
  return *this;
}

Writer& Writer::Raw(std::string_view json) {
  Separate();
  out_->append(json);
  return *this;
}

}  // namespace monotable::json

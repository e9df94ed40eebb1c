#include "json/json_writer.h"

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

char* PrintString(std::string_view text, char* at) {
  *at++ = '"';
  const char* from = text.data();
  const char* const end = from + text.size();
  while (from != end) {
    // Eight bytes are copied before they are checked; bytes that need escaping are then
    // overwritten.
    while (end - from >= 8) {
      uint64_t bytes = 0;
      std::memcpy(&bytes, from, sizeof bytes);
      std::memcpy(at, &bytes, sizeof bytes);
      if (AnyNeedsEscape(bytes)) break;
      from += sizeof bytes;
      at += sizeof bytes;
    }
    for (const char* const stop = end - from < 8 ? end : from + 8; from != stop; ++from) {
      if (NeedsEscape(static_cast<unsigned char>(*from))) {
        at = PrintEscape(*from, at);
      } else {
        *at++ = *from;
      }
    }
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

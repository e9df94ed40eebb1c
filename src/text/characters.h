#pragma once

// ASCII characters, whatever the locale of the process. Bytes of longer UTF-8 characters are
// neither letters nor digits here.

namespace monotable::text {

constexpr bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool IsLower(char c) {
  return c >= 'a' && c <= 'z';
}

constexpr bool IsUpper(char c) {
  return c >= 'A' && c <= 'Z';
}

constexpr bool IsLetter(char c) {
  return IsLower(c) || IsUpper(c);
}

constexpr bool IsAlphanumeric(char c) {
  return IsLetter(c) || IsDigit(c);
}

constexpr char ToLower(char c) {
  return IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr char ToUpper(char c) {
  return IsLower(c) ? static_cast<char>(c - 'a' + 'A') : c;
}

// The value of a hexadecimal digit in either case; -1 for any other character.
constexpr int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  const char lower = ToLower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Whether the byte belongs to a character beyond ASCII.
constexpr bool IsBeyondAscii(char c) {
  return static_cast<unsigned char>(c) >= 0x80;
}

// Whether the byte is inside a UTF-8 character, after its first byte.
constexpr bool ContinuesUtf8(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

}  // namespace monotable::text

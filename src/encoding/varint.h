#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Unsigned integers in groups of seven bits, least significant first. The high bit of a byte says
// that more bytes follow.
namespace monotable::encoding {

inline void AppendVarint(uint64_t value, std::string* out) {
  while (value >= 0x80) {
    out->push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out->push_back(static_cast<char>(value));
}

// Removes a number from the front of *in; returns false if *in does not begin with a whole number.
inline bool ReadVarint(std::string_view* in, uint64_t* value) {
  uint64_t result = 0;
  for (unsigned shift = 0, i = 0; i < in->size() && shift < 64; ++i, shift += 7) {
    const auto byte = static_cast<unsigned char>((*in)[i]);
    result |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) {
      in->remove_prefix(i + 1);
      *value = result;
      return true;
    }
  }
  return false;
}

// Removes a length and that many bytes from the front of *in. The innermost step of whoever reads
// items.
[[gnu::always_inline]] inline bool ReadBytes(std::string_view* in, std::string_view* bytes) {
  // Most lengths are one byte.
  if (!in->empty() && static_cast<unsigned char>(in->front()) < 0x80) [[likely]] {
    const size_t size = static_cast<unsigned char>(in->front());
    if (size >= in->size()) return false;
    *bytes = std::string_view(in->data() + 1, size);
    in->remove_prefix(1 + size);
    return true;
  }
  uint64_t length = 0;
  if (!ReadVarint(in, &length) || length > in->size()) return false;
  *bytes = in->substr(0, length);
  in->remove_prefix(length);
  return true;
}

inline void AppendBytes(std::string_view bytes, std::string* out) {
  AppendVarint(bytes.size(), out);
  out->append(bytes);
}

}  // namespace monotable::encoding

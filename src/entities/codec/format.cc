#include "entities/codec/format.h"

#include <algorithm>

#include "text/characters.h"

namespace monotable::entities {
namespace {

bool IsHex(char c) {
  return text::HexDigit(c) >= 0;
}

bool IsHostLabel(std::string_view label) {
  const auto is_part = [](char c) {
    return text::IsAlphanumeric(c) || c == '-' || text::IsBeyondAscii(c);
  };
  return !label.empty() && label.size() <= 63 && label.front() != '-' && label.back() != '-' &&
         std::all_of(label.begin(), label.end(), is_part);
}

// At least two labels: an address at a bare host is almost always a slip.
bool IsDomain(std::string_view domain) {
  size_t labels = 0;
  while (true) {
    const size_t dot = domain.find('.');
    if (!IsHostLabel(domain.substr(0, dot))) return false;
    ++labels;
    if (dot == std::string_view::npos) return labels >= 2;
    domain.remove_prefix(dot + 1);
  }
}

// The addresses that mail really goes to, with names in UTF-8 (RFC 6531) but without quotes and
// comments.
bool IsEmail(std::string_view text) {
  const size_t at = text.rfind('@');
  if (at == std::string_view::npos || at == 0 || at > 64 || text.size() > 254) return false;
  const std::string_view local = text.substr(0, at);
  if (local.front() == '.' || local.back() == '.' || local.find("..") != std::string_view::npos) {
    return false;
  }
  const auto is_local = [](char c) {
    return text::IsAlphanumeric(c) || text::IsBeyondAscii(c) ||
           std::string_view("!#$%&'*+-/=?^_`{|}~.").find(c) != std::string_view::npos;
  };
  return std::all_of(local.begin(), local.end(), is_local) && IsDomain(text.substr(at + 1));
}

// RFC 3986: a scheme and something after it, without spaces or other characters that must be
// percent-encoded.
bool IsUri(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) return false;
  const std::string_view scheme = text.substr(0, colon);
  const auto is_scheme = [](char c) {
    return text::IsAlphanumeric(c) || c == '+' || c == '-' || c == '.';
  };
  if (!text::IsLetter(scheme.front()) || !std::all_of(scheme.begin(), scheme.end(), is_scheme)) {
    return false;
  }
  const std::string_view rest = text.substr(colon + 1);
  for (size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (c == '%') {
      if (i + 2 >= rest.size() || !IsHex(rest[i + 1]) || !IsHex(rest[i + 2])) return false;
    } else if (!text::IsAlphanumeric(c) &&
               std::string_view("-._~:/?#[]@!$&'()*+,;=").find(c) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

bool IsUuid(std::string_view text) {
  constexpr std::string_view kShape = "00000000-0000-0000-0000-000000000000";
  if (text.size() != kShape.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (kShape[i] == '-' ? text[i] != '-' : !IsHex(text[i])) return false;
  }
  return true;
}

// 26 digits of Crockford's base 32; the first says at most 7, as 128 bits have no more.
bool IsUlid(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  return text.size() == 26 && text.front() <= '7' &&
         text.find_first_not_of(kDigits) == std::string_view::npos;
}

}  // namespace

bool HasFormat(std::string_view text, std::string_view format) {
  if (format == "email") return IsEmail(text);
  if (format == "uri") return IsUri(text);
  if (format == "uuid") return IsUuid(text);
  if (format == "ulid") return IsUlid(text);
  return true;
}

}  // namespace monotable::entities

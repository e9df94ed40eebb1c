#include "model/template/filters.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "text/characters.h"

namespace monotable::model {
namespace {

// A UTF-8 character of at most two bytes, which covers Latin up to U+017F. Longer characters and
// malformed bytes are passed on unchanged.
struct Character {
  char32_t code = 0;
  size_t bytes = 1;
  bool is_known = false;
};

Character CharacterAt(std::string_view text, size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return {first, 1, true};
  if (first < 0xC2 || first > 0xDF || at + 1 == text.size()) return {};
  const auto second = static_cast<unsigned char>(text[at + 1]);
  if ((second & 0xC0) != 0x80) return {};
  return {(static_cast<char32_t>(first & 0x1F) << 6) | (second & 0x3F), 2, true};
}

void Append(char32_t code, std::string* out) {
  if (code < 0x80) {
    out->push_back(static_cast<char>(code));
  } else {
    out->push_back(static_cast<char>(0xC0 | (code >> 6)));
    out->push_back(static_cast<char>(0x80 | (code & 0x3F)));
  }
}

// In Latin Extended-A capitals and small letters alternate. Where the capitals are odd is the only
// irregularity besides the few characters without a partner.
bool HasPartnerInExtendedA(char32_t code) {
  return code >= 0x100 && code <= 0x17E && code != 0x130 && code != 0x131 && code != 0x138 &&
         code != 0x149 && code != 0x178;
}

bool IsCapitalInExtendedA(char32_t code) {
  const bool capitals_are_odd = (code >= 0x139 && code <= 0x148) || code >= 0x179;
  return (code % 2 == 1) == capitals_are_odd;
}

char32_t Lower(char32_t code) {
  if (code >= 'A' && code <= 'Z') return code + 0x20;
  if (code >= 0xC0 && code <= 0xDE && code != 0xD7) return code + 0x20;
  if (code == 0x130) return 'i';   // İ
  if (code == 0x178) return 0xFF;  // Ÿ
  if (HasPartnerInExtendedA(code) && IsCapitalInExtendedA(code)) return code + 1;
  return code;
}

char32_t Upper(char32_t code) {
  if (code >= 'a' && code <= 'z') return code - 0x20;
  if (code >= 0xE0 && code <= 0xFE && code != 0xF7) return code - 0x20;
  if (code == 0xFF) return 0x178;  // ÿ
  if (code == 0x131) return 'I';   // ı
  if (code == 0x17F) return 'S';   // ſ
  if (HasPartnerInExtendedA(code) && !IsCapitalInExtendedA(code)) return code - 1;
  return code;
}

// Small letters without accents, by the last character of each range of their accented forms; both
// cases in Extended-A, small letters only below it.
struct Plain {
  char32_t last;
  std::string_view letters;
};
constexpr Plain kPlain[] = {
    {0xDE, ""},   {0xDF, "ss"}, {0xE5, "a"},  {0xE6, "ae"}, {0xE7, "c"},  {0xEB, "e"},
    {0xEF, "i"},  {0xF0, "d"},  {0xF1, "n"},  {0xF6, "o"},  {0xF7, ""},   {0xF8, "o"},
    {0xFC, "u"},  {0xFD, "y"},  {0xFE, "th"}, {0xFF, "y"},  {0x105, "a"}, {0x10D, "c"},
    {0x111, "d"}, {0x11B, "e"}, {0x123, "g"}, {0x127, "h"}, {0x131, "i"}, {0x133, "ij"},
    {0x135, "j"}, {0x138, "k"}, {0x142, "l"}, {0x14B, "n"}, {0x151, "o"}, {0x153, "oe"},
    {0x159, "r"}, {0x161, "s"}, {0x167, "t"}, {0x173, "u"}, {0x175, "w"}, {0x178, "y"},
    {0x17E, "z"}, {0x17F, "s"},
};

// Empty for characters that are not accented letters.
std::string_view WithoutAccent(char32_t lower) {
  const auto* found =
      std::lower_bound(std::begin(kPlain), std::end(kPlain), lower,
                       [](const Plain& plain, char32_t code) { return plain.last < code; });
  return found == std::end(kPlain) ? std::string_view() : found->letters;
}

bool IsCombiningAccent(char32_t code) {
  return code >= 0x300 && code <= 0x36F;
}

template <typename Replace>
std::string ForEachCharacter(std::string_view text, const Replace& replace) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const Character character = CharacterAt(text, at);
    if (character.is_known) {
      replace(character.code, &out);
    } else {
      out.push_back(text[at]);
    }
    at += character.bytes;
  }
  return out;
}

}  // namespace

std::string LowerCase(std::string_view text) {
  return ForEachCharacter(text, [](char32_t code, std::string* out) { Append(Lower(code), out); });
}

std::string UpperCase(std::string_view text) {
  return ForEachCharacter(text, [](char32_t code, std::string* out) { Append(Upper(code), out); });
}

std::string Fold(std::string_view text) {
  return ForEachCharacter(text, [](char32_t code, std::string* out) {
    if (IsCombiningAccent(code)) return;
    const char32_t lower = Lower(code);
    const std::string_view plain = lower < 0x80 ? std::string_view() : WithoutAccent(lower);
    if (plain.empty()) {
      Append(lower, out);
    } else {
      out->append(plain);
    }
  });
}

std::string OnlyDigits(std::string_view text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out), text::IsDigit);
  return out;
}

std::string Escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '#') {
      out += "%23";
    } else if (c == '%') {
      out += "%25";
    } else {
      out.push_back(c);
    }
  }
  return out;
}

std::optional<std::string> Unescape(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '#') return std::nullopt;
    if (text[at] != '%') {
      out.push_back(text[at]);
      continue;
    }
    const std::string_view code = text.substr(at + 1, 2);
    if (code != "23" && code != "25") return std::nullopt;
    out.push_back(code == "23" ? '#' : '%');
    at += 2;
  }
  return out;
}

int ShardOf(std::string_view text, int shards) {
  // FNV-1a, with the upper half folded into the lower: its low bits alone are not well mixed.
  uint64_t hash = 0xCBF29CE484222325;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001B3;
  }
  hash ^= hash >> 32;
  return static_cast<int>(hash % static_cast<uint64_t>(shards));
}

}  // namespace monotable::model

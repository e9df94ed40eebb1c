#pragma once

#include <optional>
#include <string>
#include <string_view>

// The filters of a template. Their results are parts of stored keys, so these functions must never
// return anything else than they did before.
namespace monotable::model {

// Changes the case of Latin letters, with and without accents (to U+017F), and nothing else. One
// letter becomes one letter, so ß stays as it is in upper case.
std::string LowerCase(std::string_view text);
std::string UpperCase(std::string_view text);
// Lower case without accents: Álvaro becomes alvaro, Straße becomes strasse. The result sorts as
// people expect.
std::string Fold(std::string_view text);
// The digits 0 to 9 of a text such as 12.345.678/0001-99, without the other characters.
std::string OnlyDigits(std::string_view text);

// Percent-encodes # and %, so that a value cannot be mistaken for the text around it.
std::string Escape(std::string_view text);
// The inverse of Escape; nothing if Escape cannot have made the text.
std::optional<std::string> Unescape(std::string_view text);

// A number from 0 to shards - 1 that depends on the text alone.
int ShardOf(std::string_view text, int shards);

}  // namespace monotable::model

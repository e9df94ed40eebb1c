#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// What the filters of a template make of a value. Results are parts of stored keys: none of these
// functions may ever answer differently than before.
namespace monotable::model {

// Case of Latin letters, with and without accents (to U+017F); everything else stays. One letter
// becomes one letter, so ß stays as it is in upper case.
std::string LowerCase(std::string_view text);
std::string UpperCase(std::string_view text);
// Lower case without accents: Álvaro is alvaro, Straße is strasse. Sorts as people do.
std::string Fold(std::string_view text);
// The digits 0 to 9 of a text, without what stands between them: 12.345.678/0001-99.
std::string OnlyDigits(std::string_view text);

// Percent-encodes # and %, so that a value cannot be taken for the text around it.
std::string Escape(std::string_view text);
// The inverse; nothing if the text was not made by Escape.
std::optional<std::string> Unescape(std::string_view text);

// A number from 0 to shards - 1 that depends on the text alone.
int ShardOf(std::string_view text, int shards);

}  // namespace monotable::model

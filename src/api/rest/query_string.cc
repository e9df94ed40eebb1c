#include "api/rest/query_string.h"

#include "entities/problem.h"
#include "json/parse.h"
#include "text/characters.h"

namespace monotable::api::rest {
namespace {

bool Decode(std::string_view text, bool plus_is_blank, std::string* out) {
  out->reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      out->push_back(' ');
    } else if (text[i] != '%') {
      out->push_back(text[i]);
    } else {
      if (i + 2 >= text.size()) return false;
      const int high = text::HexDigit(text[i + 1]);
      const int low = text::HexDigit(text[i + 2]);
      if (high < 0 || low < 0) return false;
      out->push_back(static_cast<char>(high * 16 + low));
      i += 2;
    }
  }
  return json::IsUtf8(*out);
}

}  // namespace

std::string_view PathOf(std::string_view target) {
  return target.substr(0, target.find('?'));
}

std::string_view QueryOf(std::string_view target) {
  const size_t mark = target.find('?');
  return mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
}

std::optional<std::string> PercentDecode(std::string_view text) {
  std::string decoded;
  if (!Decode(text, false, &decoded)) return std::nullopt;
  return decoded;
}

Result<QueryParameters> ParseQuery(std::string_view query) {
  QueryParameters parameters;
  while (!query.empty()) {
    const size_t end = query.find('&');
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    if (pair.empty()) continue;
    const size_t equals = pair.find('=');
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    QueryParameter parameter;
    if (!Decode(pair.substr(0, equals), true, &parameter.name) ||
        !Decode(value, true, &parameter.value)) {
      return entities::InvalidFields(
          {{std::string(pair.substr(0, equals)), "encoding",
            "The query is not percent-encoded UTF-8: a % is followed by two hexadecimal digits."}});
    }
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

const std::string* FindParameter(const QueryParameters& query, std::string_view name) {
  for (const QueryParameter& parameter : query) {
    if (parameter.name == name) return &parameter.value;
  }
  return nullptr;
}

}  // namespace monotable::api::rest

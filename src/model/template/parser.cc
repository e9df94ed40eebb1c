#include "model/template/parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "item/number.h"
#include "model/instant.h"
#include "text/characters.h"

namespace monotable::model {
namespace {

using Filter = TemplatePart::Filter;

constexpr int kMaxShards = 1000;
constexpr std::array<std::pair<std::string_view, Filter>, 6> kFilters = {{
    {"lower", Filter::kLower},
    {"upper", Filter::kUpper},
    {"digits", Filter::kDigits},
    {"fold", Filter::kFold},
    {"esc", Filter::kEscape},
    {"shard", Filter::kShard},
}};

std::optional<int> ParseSmallNumber(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

bool IsNameCharacter(char c) {
  return text::IsAlphanumeric(c) || c == '_' || c == '-' || text::IsBeyondAscii(c);
}

// Names of attributes with dots between them.
bool IsPath(std::string_view text) {
  bool name_is_empty = true;
  for (const char c : text) {
    if (c != '.' && !IsNameCharacter(c)) return false;
    if (c == '.' && name_is_empty) return false;
    name_is_empty = c == '.';
  }
  return !name_is_empty;
}

// 03: a zero and the width.
bool IsPadding(std::string_view format) {
  if (!format.starts_with('0')) return false;
  const std::optional<int> width = ParseSmallNumber(format);
  return width && *width >= 1 && *width <= item::Number::kMaxDigits;
}

class TemplateParser {
 public:
  explicit TemplateParser(std::string_view text) : text_(text) {}

  Result<std::vector<TemplatePart>> Parse() {
    if (text_.empty()) return Error::Validation("The template is empty");
    std::vector<TemplatePart> parts;
    for (size_t at = 0; at < text_.size();) {
      const size_t special = std::min(text_.find_first_of("{}<>", at), text_.size());
      if (special > at) {
        parts.emplace_back().literal = text_.substr(at, special - at);
        at = special;
        continue;
      }
      const char open = text_[at];
      if (open == '}' || open == '>') {
        return Wrong(at, std::string("There is a ") + open + " that closes nothing");
      }
      const char close = open == '{' ? '}' : '>';
      const size_t end = text_.find_first_of("{}<>", at + 1);
      if (end == std::string_view::npos || text_[end] != close) {
        return Wrong(at, std::string("There is a ") + open + " without its " + close);
      }
      TRY_ASSIGN(TemplatePart part, ParseValue(at + 1, end));
      parts.push_back(std::move(part));
      at = end + 1;
    }
    return parts;
  }

 private:
  // What stands between braces, from begin to end.
  Result<TemplatePart> ParseValue(size_t begin, size_t end) const {
    TemplatePart part;
    const std::string_view inside = text_.substr(begin, end - begin);
    const size_t bar = std::min(inside.find('|'), inside.size());
    const size_t colon = std::min(inside.find(':'), bar);
    part.attribute = inside.substr(0, colon);
    if (part.attribute.empty()) return Wrong(begin, "There is no attribute between the braces");
    if (!IsPath(part.attribute)) {
      return Wrong(begin, "\"" + part.attribute + "\" is not the name of an attribute");
    }
    if (colon < bar) {
      part.format = inside.substr(colon + 1, bar - colon - 1);
      if (!IsPadding(part.format) && !IsSpelling(part.format)) {
        return Wrong(begin + colon + 1,
                     "\"" + part.format +
                         "\" is not a format; there are 03 (any width) for numbers and iso, isoms, "
                         "or yyyy, MM, dd, HH, mm, ss, SSS with punctuation for instants");
      }
    }
    for (size_t at = bar; at < inside.size();) {
      const size_t next = std::min(inside.find('|', at + 1), inside.size());
      TRY(ParseFilter(inside.substr(at + 1, next - at - 1), begin + at + 1, &part));
      at = next;
    }
    return part;
  }

  Status ParseFilter(std::string_view filter, size_t at, TemplatePart* part) const {
    if (part->shards != 0) return Wrong(at, "shard must be the last filter");
    const size_t bracket = std::min(filter.find('('), filter.size());
    const std::string_view name = filter.substr(0, bracket);
    for (const auto& [known, kind] : kFilters) {
      if (name != known) continue;
      if (kind == Filter::kShard) {
        TRY_ASSIGN(part->shards, ParseShards(filter.substr(bracket), at));
      } else if (bracket != filter.size()) {
        return Wrong(at, "The filter " + std::string(name) + " takes nothing in brackets");
      }
      part->filters.push_back(kind);
      return {};
    }
    return Wrong(at, "\"" + std::string(filter) +
                         "\" is not a filter; there are lower, upper, digits, fold, esc and "
                         "shard(n)");
  }

  // (8)
  Result<int> ParseShards(std::string_view brackets, size_t at) const {
    std::optional<int> shards;
    if (brackets.size() > 2 && brackets.ends_with(')')) {
      shards = ParseSmallNumber(brackets.substr(1, brackets.size() - 2));
    }
    if (!shards || *shards < 2 || *shards > kMaxShards) {
      return Wrong(at, "shard needs a number from 2 to 1000, as in shard(8)");
    }
    return *shards;
  }

  // Characters are counted from one, and not in bytes: an author counts what the editor shows.
  Error Wrong(size_t at, std::string what) const {
    size_t character = 1;
    for (const char c : text_.substr(0, at)) {
      if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) ++character;
    }
    return Error::Validation(std::move(what) + ", at character " + std::to_string(character));
  }

  std::string_view text_;
};

}  // namespace

Result<std::vector<TemplatePart>> ParseTemplateParts(std::string_view text) {
  return TemplateParser(text).Parse();
}

std::string TemplatePartText(const TemplatePart& part) {
  if (part.is_literal()) return part.literal;
  std::string text = "{" + part.attribute;
  if (!part.format.empty()) text += ":" + part.format;
  for (const Filter filter : part.filters) {
    for (const auto& [name, kind] : kFilters) {
      if (kind == filter) text.append("|").append(name);
    }
    if (filter == Filter::kShard) text += "(" + std::to_string(part.shards) + ")";
  }
  return text + "}";
}

}  // namespace monotable::model

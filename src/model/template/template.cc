#include "model/template/template.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "error/result.h"
#include "item/number.h"
#include "model/instant.h"
#include "model/template/filters.h"
#include "model/template/template_shape.h"
#include "text/words.h"

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
  const auto number = text::ParseNumber<int>(text);
  return number && *number >= 0 ? number : std::nullopt;
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

  // Characters are counted from one, and not in bytes, because an author counts what the editor
  // shows.
  Error Wrong(size_t at, std::string what) const {
    size_t character = 1;
    for (const char c : text_.substr(0, at)) {
      if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) ++character;
    }
    return Error::Validation(std::move(what) + ", at character " + std::to_string(character));
  }

  std::string_view text_;
};

// Parses a template; other code calls Template::Parse.
Result<std::vector<TemplatePart>> ParseTemplateParts(std::string_view text) {
  return TemplateParser(text).Parse();
}

using item::Type;

// Formats have a fixed width; filters may change it.
bool HasFixedWidth(const TemplatePart& part) {
  return !part.format.empty() && part.filters.empty();
}

Error CannotBeInKey(const TemplatePart& part, const std::string& why) {
  return Error::Validation("The value of " + part.attribute + " cannot be part of a key: " + why);
}

Result<std::string> Padded(const TemplatePart& part, const item::Value& value) {
  if (!value.is(Type::kNumber)) {
    return CannotBeInKey(part, "its format :" + part.format + " is for numbers");
  }
  const std::string digits = value.number().ToString();
  const size_t width = std::stoul(part.format);
  if (value.number().negative() || digits.find('.') != std::string::npos) {
    return CannotBeInKey(part,
                         digits + " is not a whole number from zero up, as its format requires");
  }
  if (digits.size() > width) {
    return CannotBeInKey(
        part, digits + " has more than the " + std::to_string(width) + " digits of its format");
  }
  return std::string(width - digits.size(), '0') + digits;
}

// The value as text, before filters.
Result<std::string> Formatted(const TemplatePart& part, const item::Value& value) {
  if (part.is_padded()) return Padded(part, value);
  if (!part.format.empty()) {
    const std::optional<Instant> instant = ReadInstant(value);
    if (!instant) {
      return CannotBeInKey(
          part, "it is not a date or an instant, as its format :" + part.format + " requires");
    }
    return Spell(*instant, part.format);
  }
  switch (value.type()) {
    case Type::kString:
      return value.string();
    case Type::kNumber:
      return value.number().ToString();
    case Type::kBool:
      return std::string(value.boolean() ? "true" : "false");
    default:
      return CannotBeInKey(part, "its type is " + std::string(item::TypeName(value.type())));
  }
}

std::string Filtered(Filter filter, const std::string& text, int shards) {
  switch (filter) {
    case Filter::kLower:
      return LowerCase(text);
    case Filter::kUpper:
      return UpperCase(text);
    case Filter::kDigits:
      return OnlyDigits(text);
    case Filter::kFold:
      return Fold(text);
    case Filter::kEscape:
      return Escape(text);
    case Filter::kShard:
      return std::to_string(ShardOf(text, shards));
  }
  return text;
}

// The value that a lossless part was made of; nothing if the part cannot have made this text.
std::optional<std::string> ValueOf(const TemplatePart& part, std::string text) {
  for (size_t i = 0; i < part.filters.size(); ++i) {
    std::optional<std::string> plain = Unescape(text);
    if (!plain) return std::nullopt;
    text = std::move(*plain);
  }
  if (part.is_padded()) {
    return text.substr(std::min(text.find_first_not_of('0'), text.size() - 1));
  }
  if (!part.format.empty() && !ParseIso(text)) return std::nullopt;
  return text;
}

}  // namespace

std::string PartText(const TemplatePart& part) {
  if (part.is_literal()) return part.literal;
  std::string text = "{" + part.attribute;
  if (!part.format.empty()) text += ":" + part.format;
  for (const TemplatePart::Filter filter : part.filters) {
    for (const auto& [name, kind] : kFilters) {
      if (kind == filter) text.append("|").append(name);
    }
    if (filter == Filter::kShard) text += "(" + std::to_string(part.shards) + ")";
  }
  return text + "}";
}

bool TemplatePart::is_lossless() const {
  const bool keeps_text = std::all_of(filters.begin(), filters.end(),
                                      [](Filter filter) { return filter == Filter::kEscape; });
  return keeps_text && (format.empty() || is_padded() || format == "iso" || format == "isoms");
}

Result<Template> Template::Parse(std::string_view text) {
  Template result;
  TRY_ASSIGN(result.parts_, ParseTemplateParts(text));
  for (const TemplatePart& part : result.parts_) result.text_ += model::PartText(part);
  return result;
}

std::vector<std::string> Template::attributes() const {
  std::vector<std::string> names;
  for (const TemplatePart& part : parts_) {
    if (part.is_literal()) continue;
    if (std::find(names.begin(), names.end(), part.attribute) == names.end()) {
      names.push_back(part.attribute);
    }
  }
  return names;
}

bool Template::is_constant() const {
  return std::all_of(parts_.begin(), parts_.end(),
                     [](const TemplatePart& part) { return part.is_literal(); });
}

std::string Template::Prefix() const {
  return parts_.empty() ? std::string() : parts_.front().literal;
}

Result<std::string> Template::PartText(const TemplatePart& part, const item::Value& value,
                                       const Rules& rules) {
  TRY_ASSIGN(std::string text, Formatted(part, value));
  for (const Filter filter : part.filters) text = Filtered(filter, text, part.shards);
  if (text.empty()) return CannotBeInKey(part, "it is empty");
  // The author chose the text that a format puts between digits, so it is not checked like a value.
  const size_t bad = part.format.empty() ? text.find_first_of(rules.forbidden) : std::string::npos;
  if (bad != std::string::npos) {
    return CannotBeInKey(part, std::string("it contains \"") + text[bad] + "\"");
  }
  return text;
}

Result<std::optional<std::string>> Template::Render(const Lookup& lookup,
                                                    const Rules& rules) const {
  std::string text;
  for (const TemplatePart& part : parts_) {
    if (part.is_literal()) {
      text += part.literal;
      continue;
    }
    const item::Value* value = lookup(part.attribute);
    if (value == nullptr || value->is(Type::kNull)) return std::optional<std::string>();
    TRY_ASSIGN(const std::string piece, PartText(part, *value, rules));
    text += piece;
  }
  return std::optional<std::string>(std::move(text));
}

std::optional<std::vector<Template::Binding>> Template::Match(std::string_view text,
                                                              const Rules& rules) const {
  if (parts_.empty() || !text.starts_with(parts_.front().literal)) return std::nullopt;
  const auto ends = IsDelimited(parts_, rules) ? DivideAtDelimiters(parts_, text, rules)
                                               : TemplateShape(parts_, rules).Divide(text);
  if (!ends) return std::nullopt;
  std::vector<Binding> bindings;
  std::vector<const TemplatePart*> bound;  // the part of each binding
  size_t begin = 0;
  for (size_t i = 0; i < parts_.size(); ++i) {
    const std::string_view piece = text.substr(begin, (*ends)[i] - begin);
    begin = (*ends)[i];
    const TemplatePart& part = parts_[i];
    if (part.is_literal() || !part.is_lossless()) continue;
    std::optional<std::string> value = ValueOf(part, std::string(piece));
    if (!value) return std::nullopt;
    const auto earlier = std::find_if(bound.begin(), bound.end(), [&part](const auto* other) {
      return other->attribute == part.attribute;
    });
    if (earlier == bound.end()) {
      bindings.push_back({part.attribute, std::move(*value)});
      bound.push_back(&part);
      continue;
    }
    // An attribute that occurs twice has the same value twice, unless it is spelled in two ways.
    const bool is_comparable = (*earlier)->format == part.format;
    const Binding& binding = bindings[static_cast<size_t>(earlier - bound.begin())];
    if (is_comparable && binding.text != *value) return std::nullopt;
  }
  return bindings;
}

bool Template::reversible() const {
  int unbounded = 0;  // attributes of any width since the last literal text
  for (const TemplatePart& part : parts_) {
    if (part.is_literal()) {
      unbounded = 0;
      continue;
    }
    if (!part.is_lossless()) return false;
    if (!HasFixedWidth(part) && ++unbounded > 1) return false;
  }
  return true;
}

}  // namespace monotable::model

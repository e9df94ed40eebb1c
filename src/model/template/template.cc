#include "model/template/template.h"

#include <algorithm>
#include <utility>

#include "model/instant.h"
#include "model/template/delimiters.h"
#include "model/template/filters.h"
#include "model/template/parser.h"
#include "model/template/shape.h"

namespace monotable::model {
namespace {

using Filter = TemplatePart::Filter;
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

// Returns whether no attribute was missing.
Result<bool> AppendUntilMissing(const std::vector<TemplatePart>& parts,
                                const Template::Lookup& lookup, const Template::Rules& rules,
                                std::string* text) {
  for (const TemplatePart& part : parts) {
    if (part.is_literal()) {
      *text += part.literal;
      continue;
    }
    const item::Value* value = lookup(part.attribute);
    if (value == nullptr || value->is(Type::kNull)) return false;
    TRY_ASSIGN(const std::string piece, Template::PartText(part, *value, rules));
    *text += piece;
  }
  return true;
}

// What a lossless part was made of; nothing if it cannot have made this text.
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

bool TemplatePart::is_lossless() const {
  const bool keeps_text = std::all_of(filters.begin(), filters.end(),
                                      [](Filter filter) { return filter == Filter::kEscape; });
  return keeps_text && (format.empty() || is_padded() || format == "iso" || format == "isoms");
}

Result<Template> Template::Parse(std::string_view text) {
  Template result;
  TRY_ASSIGN(result.parts_, ParseTemplateParts(text));
  for (const TemplatePart& part : result.parts_) result.text_ += TemplatePartText(part);
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
  // What a format puts between digits is the author's, not the value's.
  const size_t bad = part.format.empty() ? text.find_first_of(rules.forbidden) : std::string::npos;
  if (bad != std::string::npos) {
    return CannotBeInKey(part, std::string("it contains \"") + text[bad] + "\"");
  }
  return text;
}

Result<std::optional<std::string>> Template::Render(const Lookup& lookup,
                                                    const Rules& rules) const {
  std::string text;
  TRY_ASSIGN(const bool is_whole, AppendUntilMissing(parts_, lookup, rules, &text));
  return is_whole ? std::optional<std::string>(std::move(text)) : std::nullopt;
}

Result<std::string> Template::RenderPrefix(const Lookup& lookup, const Rules& rules) const {
  std::string text;
  TRY(AppendUntilMissing(parts_, lookup, rules, &text));
  return text;
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
    // An attribute that stands twice has the same value twice, unless it is spelled in two ways.
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

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"
#include "item/value.h"

// Key templates: literal text with attributes in braces, SALE#{SaleId} or LINE#{LineNumber:03}. The
// literal text is kept to the byte. Only filters change the case of values.
namespace monotable::model {

// One part of a template: literal text or {Attribute[:format][|filter…]}.
struct TemplatePart {
  enum class Filter { kLower, kUpper, kDigits, kFold, kEscape, kShard };

  std::string literal;    // text, if attribute is empty
  std::string attribute;  // a path with dots (address.city)
  // 03 pads a number with zeros; yyyy, MM, dd, HH, mm, ss, SSS spell an instant or a date; iso is
  // an instant as 2026-01-30T14:30:00Z, isoms the same with milliseconds.
  std::string format;
  std::vector<Filter> filters;
  int shards = 0;  // of kShard: the number of shards, one of which the hash of the value selects

  bool is_literal() const { return attribute.empty(); }
  bool is_padded() const { return format.starts_with('0'); }
  // Whether the value can be read back from the text: the part has no filters except esc, and its
  // format keeps everything (as 03, iso and isoms do).
  bool is_lossless() const;
  friend bool operator==(const TemplatePart&, const TemplatePart&) = default;
};

// The part as a template spells it: {LineNumber:03}, or its literal text.
std::string PartText(const TemplatePart& part);

// A parsed template. Immutable and thread-safe.
class Template {
 public:
  // <x> is read as {x}. The error says what is wrong and at which character.
  static Result<Template> Parse(std::string_view text);

  const std::string& text() const { return text_; }  // as written, with braces
  const std::vector<TemplatePart>& parts() const { return parts_; }
  std::vector<std::string> attributes() const;  // in order, without duplicates
  bool is_constant() const;
  // The literal text before the first attribute.
  std::string Prefix() const;

  // The stored form of an attribute by its path, or null.
  using Lookup = std::function<const item::Value*(std::string_view path)>;

  struct Rules {
    std::string forbidden;  // characters that a value must not contain, usually "#"
  };

  // The text for an item; nullopt if an attribute is missing or null (the item then has no such
  // key). A value that cannot be part of a key (a map, an empty text, a number too large for its
  // padding, text that contains a forbidden character) is an error that names the attribute.
  Result<std::optional<std::string>> Render(const Lookup& lookup, const Rules& rules) const;
  // The text of one attribute as Render makes it.
  static Result<std::string> PartText(const TemplatePart& part, const item::Value& value,
                                      const Rules& rules);

  // Splits a text into the attributes that it was made of: numbers without their padding, instants
  // as ISO text. Returns nullopt if this template cannot have made the text, or if there are two
  // ways to split it, so that a value is never a guess. Parts that are not lossless must fit but
  // give no value.
  struct Binding {
    std::string attribute;
    std::string text;
  };
  std::optional<std::vector<Binding>> Match(std::string_view text,
                                            const Rules& rules = Rules()) const;
  // Whether Match returns every attribute: all of them are lossless, and literal text or the fixed
  // width of a format bounds each of them.
  bool reversible() const;

  friend bool operator==(const Template& a, const Template& b) { return a.parts_ == b.parts_; }

 private:
  std::string text_;
  std::vector<TemplatePart> parts_;
};

}  // namespace monotable::model

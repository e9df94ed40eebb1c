#include "model/plan/match.h"

#include <algorithm>
#include <string_view>

namespace monotable::model {
namespace {

std::string_view FilterName(TemplatePart::Filter filter) {
  switch (filter) {
    case TemplatePart::Filter::kLower:
      return "lower";
    case TemplatePart::Filter::kUpper:
      return "upper";
    case TemplatePart::Filter::kDigits:
      return "digits";
    case TemplatePart::Filter::kFold:
      return "fold";
    case TemplatePart::Filter::kEscape:
      return "esc";
    case TemplatePart::Filter::kShard:
      return "shard";
  }
  return "";
}

// Follows one text through one key; keeps where it is in the key.
class Follower {
 public:
  explicit Follower(const std::vector<TemplatePart>& key) : key_(key) {}

  void Attribute(const TemplatePart& part) {
    if (at_end()) return Fail("has " + PartText(part) + " after the end of the key");
    if (reach_.offset != 0 || here().is_literal()) {
      return Fail("has " + PartText(part) + " where the key has \"" +
                  here().literal.substr(reach_.offset) + "\"");
    }
    if (part != here()) {
      return Fail("has " + PartText(part) + " where the key has " + PartText(here()));
    }
    Next();
  }

  // `last`: nothing follows the literal in the text.
  void Literal(std::string_view rest, bool last) {
    while (!rest.empty() && reach_.matches()) {
      if (at_end()) return Fail("has \"" + std::string(rest) + "\" after the end of the key");
      if (here().is_literal()) {
        rest = SameText(rest);
      } else {
        rest = ValueWrittenOut(rest, last);
      }
    }
  }

  bool failed() const { return !reach_.matches(); }
  Reach Take() { return std::move(reach_); }

 private:
  bool at_end() const { return reach_.part == key_.size(); }
  const TemplatePart& here() const { return key_[reach_.part]; }
  void Fail(std::string mismatch) { reach_.mismatch = std::move(mismatch); }
  void Next() {
    ++reach_.part;
    reach_.offset = 0;
  }

  std::string_view SameText(std::string_view rest) {
    const std::string_view wanted = std::string_view(here().literal).substr(reach_.offset);
    const size_t length = std::min(wanted.size(), rest.size());
    if (wanted.substr(0, length) != rest.substr(0, length)) {
      Fail("has \"" + std::string(rest) + "\" where the key has \"" + std::string(wanted) + "\"");
      return {};
    }
    reach_.offset += length;
    if (reach_.offset == here().literal.size()) Next();
    return rest.substr(length);
  }

  std::string_view ValueWrittenOut(std::string_view rest, bool last) {
    const bool more = reach_.part + 1 < key_.size();
    const std::string_view stop = more ? std::string_view(key_[reach_.part + 1].literal) : "";
    const size_t end = stop.empty() ? std::string_view::npos : rest.find(stop);
    if (end == 0 || (end == std::string_view::npos && !last)) {
      Fail("does not tell where " + PartText(here()) + " ends");
      return {};
    }
    reach_.written_out.emplace_back(here().attribute, rest.substr(0, end));
    if (end == std::string_view::npos && more) {
      reach_.inside_value = true;
      return {};
    }
    Next();
    return end == std::string_view::npos ? std::string_view() : rest.substr(end);
  }

  const std::vector<TemplatePart>& key_;
  Reach reach_;
};

}  // namespace

Reach Follow(const Template& text, const Template& key) {
  Follower follower(key.parts());
  const std::vector<TemplatePart>& parts = text.parts();
  for (size_t i = 0; i < parts.size() && !follower.failed(); ++i) {
    if (parts[i].is_literal()) {
      follower.Literal(parts[i].literal, i + 1 == parts.size());
    } else {
      follower.Attribute(parts[i]);
    }
  }
  return follower.Take();
}

std::string PartText(const TemplatePart& part) {
  if (part.is_literal()) return part.literal;
  std::string text = "{" + part.attribute;
  if (!part.format.empty()) text += ":" + part.format;
  for (const TemplatePart::Filter filter : part.filters) {
    text += "|";
    text += FilterName(filter);
    if (filter == TemplatePart::Filter::kShard) text += "(" + std::to_string(part.shards) + ")";
  }
  return text + "}";
}

bool HasFilter(const TemplatePart& part, TemplatePart::Filter filter) {
  return std::ranges::find(part.filters, filter) != part.filters.end();
}

size_t PaddedWidth(const TemplatePart& part) {
  const std::string_view format = part.format;
  if (format.size() < 2 || format.size() > 3 || format.front() != '0') return 0;
  size_t width = 0;
  for (const char digit : format) {
    if (digit < '0' || digit > '9') return 0;
    width = width * 10 + static_cast<size_t>(digit - '0');
  }
  return width;
}

}  // namespace monotable::model

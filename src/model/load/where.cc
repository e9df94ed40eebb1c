#include "model/load/where.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "model/load/reader.h"
#include "model/load/rule.h"

namespace monotable::model {
namespace {

struct WhereOperator {
  std::string_view text;
  WhereTerm::Comparison comparison;
};
constexpr WhereOperator kOperators[] = {
    {"=", WhereTerm::Comparison::kEqual},
    {"<", WhereTerm::Comparison::kLess},
    {"<=", WhereTerm::Comparison::kLessOrEqual},
    {">", WhereTerm::Comparison::kGreater},
    {">=", WhereTerm::Comparison::kGreaterOrEqual},
    {"begins_with", WhereTerm::Comparison::kBeginsWith},
    {"between", WhereTerm::Comparison::kBetween},
};

// One comparison before its texts are read as templates.
struct RawTerm {
  std::string attribute;
  WhereTerm::Comparison comparison = WhereTerm::Comparison::kEqual;
  std::string value;
  std::string upper;
};

// Words between spaces; a template in braces or a text in single quotes is not divided.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) { Skip(); }

  bool at_end() const { return at_ == text_.size(); }

  std::string_view Next() {
    const size_t begin = at_;
    bool braces = false;
    bool quotes = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == ' ' && !braces && !quotes) break;
      if (c == '\'') quotes = !quotes;
      if (!quotes && (c == '{' || c == '}')) braces = c == '{';
    }
    const std::string_view word = text_.substr(begin, at_ - begin);
    Skip();
    return word;
  }

  // Everything up to the next `and`, which is taken as well; whether there was one is told.
  std::string Value(bool* more) {
    std::string value;
    *more = false;
    while (!at_end()) {
      const std::string_view word = Next();
      if (word == "and") {
        *more = true;
        break;
      }
      if (!value.empty()) value += ' ';
      value += word;
    }
    if (value.size() >= 2 && value.front() == '\'' && value.back() == '\'') {
      value = value.substr(1, value.size() - 2);
    }
    return value;
  }

 private:
  void Skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  std::string_view text_;
  size_t at_ = 0;
};

// What is wrong with the text, or nothing.
std::optional<std::string> Parse(std::string_view text, std::vector<RawTerm>* terms) {
  Words words(text);
  for (bool more = true; more;) {
    RawTerm term;
    term.attribute = words.Next();
    if (term.attribute.empty()) return "a comparison is missing";
    const std::string_view word = words.Next();
    const WhereOperator* known = nullptr;
    for (const WhereOperator& one : kOperators) {
      if (one.text == word) known = &one;
    }
    if (known == nullptr) return Quoted(word) + " is no comparison";
    term.comparison = known->comparison;
    term.value = words.Value(&more);
    if (term.value.empty()) return "nothing follows " + Quoted(word);
    if (term.comparison == WhereTerm::Comparison::kBetween) {
      if (!more) return "between needs two texts with and between them";
      term.upper = words.Value(&more);
      if (term.upper.empty()) return "between needs a second text";
    }
    terms->push_back(std::move(term));
  }
  return std::nullopt;
}

}  // namespace

std::vector<WhereTerm> ReadWhere(const Node& node, const std::string& subject,
                                 const EntityModel& entity, const table::KeySchema& key,
                                 LoadContext* context) {
  std::vector<WhereTerm> where;
  if (!ExpectText(node, subject, context->findings)) return where;
  std::vector<RawTerm> terms;
  if (const auto problem = Parse(node.text, &terms)) {
    context->Error("bad_where", node.place, subject,
                   Quoted(node.text) + " cannot be read: " + *problem + ".",
                   "Write for example \"PK = SALE#{SaleId} and SK begins_with LINE#\".");
    return where;
  }
  std::vector<std::string> known;
  for (const table::KeyAttribute& attribute : key.hash) known.push_back(attribute.name);
  for (const table::KeyAttribute& attribute : key.range) known.push_back(attribute.name);
  for (const RawTerm& raw : terms) {
    if (!key.Has(raw.attribute)) {
      context->Error("where_not_a_key", node.place, subject,
                     Quoted(raw.attribute) + " is no key attribute of what is read.",
                     Suggest(raw.attribute, known));
    }
    WhereTerm term;
    term.attribute = raw.attribute;
    term.comparison = raw.comparison;
    auto value = ReadTemplateText(raw.value, node.place, subject, entity, context);
    if (!value) continue;
    term.value = *std::move(value);
    if (raw.comparison == WhereTerm::Comparison::kBetween) {
      term.upper = ReadTemplateText(raw.upper, node.place, subject, entity, context);
    }
    where.push_back(std::move(term));
  }
  return where;
}

}  // namespace monotable::model

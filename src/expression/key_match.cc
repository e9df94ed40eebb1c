#include "expression/key_match.h"

#include <algorithm>
#include <string>
#include <utility>

namespace monotable::expression {
namespace {

using item::Type;
using item::Value;

constexpr size_t kMaxHashSize = 2048;
constexpr size_t kMaxRangeSize = 1024;

Error MissedElement(const std::string& attribute) {
  return Error::Validation("Query condition missed key schema element: " + attribute);
}

Error NotSupported() {
  return Error::Validation("Query key condition not supported");
}

// The bytes of a string or binary; none for a number, whose size has its own bounds.
std::optional<std::string_view> BytesOf(const Value& value) {
  if (value.is(Type::kString)) return value.string();
  if (value.is(Type::kBinary)) return value.binary();
  return std::nullopt;
}

Error EmptyKey(const table::KeyAttribute& attribute) {
  return Error::Validation(
      std::string("One or more parameter values are not valid. The AttributeValue for a key "
                  "attribute cannot contain an empty ") +
      (attribute.type == Type::kBinary ? "binary" : "string") + " value. Key: " + attribute.name);
}

// Matching of one set of terms with one schema.
class Match {
 public:
  Match(const std::vector<KeyTerm>& terms, const table::KeySchema& schema,
        const KeyConditionOptions& options)
      : terms_(terms), schema_(schema), options_(options) {}

  Result<KeyCondition> Run() {
    if (terms_.size() > 2 && schema_.hash.size() <= 1 && schema_.range.size() <= 1) {
      return Error::Validation("Conditions can be of length 1 or 2 only");
    }
    TRY(MatchHash());
    TRY(MatchRange());
    return std::move(condition_);
  }

 private:
  Status MatchHash() {
    for (const table::KeyAttribute& attribute : schema_.hash) {
      const KeyTerm* term = Find(attribute);
      if (term == nullptr) return MissedElement(attribute.name);
      if (term->inequality) return NotSupported();
      TRY(CheckValue(attribute, *term->first, kMaxHashSize));
      condition_.hash.push_back(*term->first);
    }
    return {};
  }

  Status MatchRange() {
    size_t left = terms_.size() - schema_.hash.size();
    for (const table::KeyAttribute& attribute : schema_.range) {
      if (left == 0) return {};
      const KeyTerm* term = Find(attribute);
      // What is left is on an attribute further right or on none of the key's.
      if (term == nullptr) return MissedElement(attribute.name);
      if (condition_.range) return NotSupported();
      TRY(CheckTerm(attribute, *term));
      if (term->inequality) {
        condition_.range.emplace(RangeBound{*term->inequality, *term->first, std::nullopt});
        if (term->second != nullptr) condition_.range->second = *term->second;
      } else {
        condition_.range_equal.push_back(*term->first);
      }
      --left;
    }
    if (left > 0) return NotSupported();
    return {};
  }

  const KeyTerm* Find(const table::KeyAttribute& attribute) const {
    const auto at = std::ranges::find(terms_, attribute.name, &KeyTerm::attribute);
    return at == terms_.end() ? nullptr : &*at;
  }

  Status CheckTerm(const table::KeyAttribute& attribute, const KeyTerm& term) const {
    // A prefix need not be a key: the empty one, which no key equals, begins every key.
    const bool may_be_empty =
        term.inequality == RangeBound::Op::kBeginsWith && options_.accept_empty_begins_with;
    if (may_be_empty && term.first->is(attribute.type) && BytesOf(*term.first) == "") return {};
    TRY(CheckValue(attribute, *term.first, kMaxRangeSize));
    if (term.second != nullptr) TRY(CheckValue(attribute, *term.second, kMaxRangeSize));
    return {};
  }

  static Status CheckValue(const table::KeyAttribute& attribute, const Value& value,
                           size_t max_size) {
    if (!value.is(attribute.type)) {
      return Error::Validation(
          "One or more parameter values were invalid: Condition parameter type does not match "
          "schema type");
    }
    const std::optional<std::string_view> bytes = BytesOf(value);
    if (!bytes) return {};
    if (bytes->empty()) return EmptyKey(attribute);
    if (bytes->size() <= max_size) return {};
    // The missing blank is the service's.
    return Error::Validation(
        max_size == kMaxHashSize
            ? "One or more parameter values were invalid: Size of hashkey has exceeded the "
              "maximum size limit of2048 bytes"
            : "One or more parameter values were invalid: Aggregated size of all range keys has "
              "exceeded the size limit of 1024 bytes");
  }

  const std::vector<KeyTerm>& terms_;
  const table::KeySchema& schema_;
  const KeyConditionOptions& options_;
  KeyCondition condition_;
};

}  // namespace

Result<KeyCondition> MatchKey(const std::vector<KeyTerm>& terms, const table::KeySchema& schema,
                              const KeyConditionOptions& options) {
  return Match(terms, schema, options).Run();
}

}  // namespace monotable::expression

#include "expression/key_condition.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "expression/condition_tree.h"

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
      // The conditions that are left are on attributes further right, or on attributes that are not
      // part of the key.
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
    // A prefix need not be a valid key value: every key begins with the empty prefix, although no
    // key is empty.
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

namespace {

constexpr std::string_view kKeyConditionParameter = "KeyConditionExpression";

Error InvalidOperator(std::string_view name) {
  return Error::Validation("Invalid operator used in KeyConditionExpression: " + std::string(name));
}

Error InvalidCondition(std::string_view what) {
  return Error::Validation("Invalid condition in KeyConditionExpression: " + std::string(what));
}

// The comparison with its operands exchanged: 5 < a is a > 5.
ConditionOp Mirrored(ConditionOp op) {
  switch (op) {
    case ConditionOp::kLess:
      return ConditionOp::kGreater;
    case ConditionOp::kLessEqual:
      return ConditionOp::kGreaterEqual;
    case ConditionOp::kGreater:
      return ConditionOp::kLess;
    case ConditionOp::kGreaterEqual:
      return ConditionOp::kLessEqual;
    default:
      return op;
  }
}

std::optional<RangeBound::Op> Inequality(ConditionOp op) {
  switch (op) {
    case ConditionOp::kLess:
      return RangeBound::Op::kLess;
    case ConditionOp::kLessEqual:
      return RangeBound::Op::kLessEqual;
    case ConditionOp::kGreater:
      return RangeBound::Op::kGreater;
    case ConditionOp::kGreaterEqual:
      return RangeBound::Op::kGreaterEqual;
    case ConditionOp::kBetween:
      return RangeBound::Op::kBetween;
    case ConditionOp::kBeginsWith:
      return RangeBound::Op::kBeginsWith;
    default:
      return std::nullopt;
  }
}

// Extracts the conditions on single attributes from a tree, which may only join them with AND.
class TermReader {
 public:
  TermReader(const ParsedCondition& tree, const Binding& binding)
      : tree_(tree), binding_(binding) {}

  Result<std::vector<KeyTerm>> Read() {
    TRY(ReadNode(tree_.nodes.back()));
    return std::move(terms_);
  }

 private:
  Status ReadNode(const ParsedCondition::Node& node) {
    if (node.op == ConditionOp::kAnd) {
      for (const uint32_t child : tree_.ChildrenOf(node)) TRY(ReadNode(tree_.nodes[child]));
      return {};
    }
    if (node.op != ConditionOp::kEqual && !Inequality(node.op)) {
      return InvalidOperator(OpName(node.op));
    }
    TRY_ASSIGN(const KeyTerm term, ReadTerm(node));
    if (std::ranges::count(terms_, term.attribute, &KeyTerm::attribute) > 0) {
      return InvalidExpression(kKeyConditionParameter,
                               "KeyConditionExpressions must only contain one condition per key");
    }
    terms_.push_back(term);
    return {};
  }

  Result<KeyTerm> ReadTerm(const ParsedCondition::Node& node) const {
    const std::span<const Operand> operands = tree_.OperandsOf(node);
    TRY_ASSIGN(const size_t key_at, FindKey(operands));
    const bool needs_key_first =
        node.op == ConditionOp::kBetween || node.op == ConditionOp::kBeginsWith;
    if (key_at > 0 && needs_key_first) {
      return InvalidCondition(std::string(OpName(node.op)) +
                              " operator must have the key attribute as its first operand");
    }
    KeyTerm term;
    term.attribute = PathOf(operands[key_at]).front().name;
    term.inequality = Inequality(key_at > 0 ? Mirrored(node.op) : node.op);
    term.first = binding_.values[operands[key_at > 0 ? 0 : 1].slot];
    if (operands.size() > 2) term.second = binding_.values[operands[2].slot];
    return term;
  }

  // The position of the one operand that is an attribute.
  Result<size_t> FindKey(std::span<const Operand> operands) const {
    std::optional<size_t> found;
    for (size_t at = 0; at < operands.size(); ++at) {
      if (operands[at].is_size) return InvalidOperator("size");
      if (operands[at].kind == Operand::Kind::kValue) continue;
      if (found) return InvalidCondition("Multiple attribute names used in one condition");
      if (PathOf(operands[at]).size() > 1) {
        return InvalidExpression(
            kKeyConditionParameter,
            "KeyConditionExpressions cannot have conditions on nested attributes");
      }
      found = at;
    }
    if (!found) return InvalidCondition("No key attribute specified");
    return *found;
  }

  Path PathOf(const Operand& operand) const {
    return binding_.path(tree_.references, operand.slot);
  }

  const ParsedCondition& tree_;
  const Binding& binding_;
  std::vector<KeyTerm> terms_;
};

}  // namespace

Result<BoundKeyCondition> BindKeyCondition(std::string_view text, Substitutions& substitutions) {
  TRY_ASSIGN(auto tree, ParseConditionTree(text, kKeyConditionParameter));
  TRY_ASSIGN(const Binding binding,
             BindConditionTree(*tree, kKeyConditionParameter, substitutions));
  TRY_ASSIGN(std::vector<KeyTerm> terms, TermReader(*tree, binding).Read());
  return BoundKeyCondition{std::move(terms), std::move(tree)};
}

Result<KeyCondition> ParseKeyCondition(std::string_view text, Substitutions& substitutions,
                                       const table::KeySchema& schema,
                                       const KeyConditionOptions& options) {
  TRY_ASSIGN(const BoundKeyCondition bound, BindKeyCondition(text, substitutions));
  return MatchKey(bound.terms, schema, options);
}

}  // namespace monotable::expression

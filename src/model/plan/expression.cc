#include "model/plan/expression.h"

#include <algorithm>

#include "expression/reserved_words.h"
#include "model/plan/keys.h"
#include "model/rule/parser.h"
#include "model/rule/tree.h"
#include "text/characters.h"

namespace monotable::model {
namespace {

using NodeKind = RuleNode::Kind;

std::string_view OperatorOf(NodeKind kind) {
  switch (kind) {
    case NodeKind::kEqual:
      return " = ";
    case NodeKind::kNotEqual:
      return " <> ";
    case NodeKind::kLess:
      return " < ";
    case NodeKind::kLessOrEqual:
      return " <= ";
    case NodeKind::kGreater:
      return " > ";
    case NodeKind::kGreaterOrEqual:
      return " >= ";
    default:
      return "";
  }
}

// Says a rule in DynamoDB's words.
class FilterWriter {
 public:
  FilterWriter(const EntityModel& entity, ExpressionTerms* terms)
      : entity_(entity), terms_(*terms) {}

  std::optional<std::string> Write(const RuleNode& node) {
    switch (node.kind) {
      case NodeKind::kAnd:
      case NodeKind::kOr: {
        const std::optional<std::string> left = Write(*node.operands[0]);
        const std::optional<std::string> right = Write(*node.operands[1]);
        if (!left || !right) return std::nullopt;
        return "(" + *left + (node.kind == NodeKind::kAnd ? " AND " : " OR ") + *right + ")";
      }
      case NodeKind::kNot: {
        const std::optional<std::string> inner = Write(*node.operands[0]);
        if (!inner) return std::nullopt;
        return "NOT (" + *inner + ")";
      }
      case NodeKind::kIn:
        return In(*node.operands[0], *node.operands[1]);
      default:
        if (OperatorOf(node.kind).empty()) return std::nullopt;
        return Comparison(node);
    }
  }

 private:
  // The stored path; nothing if the node is no attribute, or one that is stored in another form.
  std::optional<std::string> Path(const RuleNode& node) {
    const AttributeModel* attribute =
        node.kind == NodeKind::kPath ? FindAttribute(entity_, node.path) : nullptr;
    if (attribute == nullptr) return std::nullopt;
    const bool in_key = std::ranges::find(entity_.from_key, node.path) != entity_.from_key.end();
    const bool other_form =
        attribute->type.kind == TypeKind::kInstant && attribute->type.stored != InstantForm::kIso;
    if (in_key || other_form) return std::nullopt;
    return terms_.Path(StoredPath(entity_, node.path));
  }

  // Bare words that are no attributes are text.
  std::optional<std::string> Operand(const RuleNode& node) {
    if (node.kind == NodeKind::kLiteral) return terms_.Literal(node.literal);
    if (node.kind != NodeKind::kPath) return std::nullopt;
    if (FindAttribute(entity_, node.path) != nullptr) return Path(node);
    return terms_.Literal(item::Value(node.path));
  }

  static bool IsNull(const RuleNode& node) {
    return node.kind == NodeKind::kLiteral && node.literal.is(item::Type::kNull);
  }

  std::optional<std::string> Comparison(const RuleNode& node) {
    const RuleNode& left = *node.operands[0];
    const RuleNode& right = *node.operands[1];
    const std::optional<std::string> path = Path(left);
    if (!path) return std::nullopt;
    if (IsNull(right)) {
      if (node.kind == NodeKind::kEqual) return "attribute_not_exists(" + *path + ")";
      if (node.kind == NodeKind::kNotEqual) return "attribute_exists(" + *path + ")";
      return std::nullopt;
    }
    const std::optional<std::string> operand = Operand(right);
    if (!operand) return std::nullopt;
    const std::string comparison = *path + std::string(OperatorOf(node.kind)) + *operand;
    if (node.kind != NodeKind::kNotEqual) return comparison;
    // A rule's comparison with a missing attribute is false; DynamoDB's <> is then true.
    return "(attribute_exists(" + *path + ") AND " + comparison + ")";
  }

  std::optional<std::string> In(const RuleNode& left, const RuleNode& list) {
    const std::optional<std::string> path = Path(left);
    if (!path || list.kind != NodeKind::kList || list.operands.empty()) return std::nullopt;
    std::string members;
    for (const RuleTree& member : list.operands) {
      const std::optional<std::string> operand = Operand(*member);
      if (!operand) return std::nullopt;
      members += (members.empty() ? "" : ", ") + *operand;
    }
    return *path + " IN (" + members + ")";
  }

  const EntityModel& entity_;
  ExpressionTerms& terms_;
};

}  // namespace

bool NeedsAlias(std::string_view name) {
  if (name.empty() || !text::IsLetter(name.front()) || expression::IsReservedWord(name))
    return true;
  return !std::ranges::all_of(name, [](char c) { return text::IsAlphanumeric(c) || c == '_'; });
}

std::string ExpressionTerms::Name(const std::string& attribute) {
  if (!NeedsAlias(attribute)) return attribute;
  const auto known = std::ranges::find(names_, attribute, &Pair::second);
  if (known != names_.end()) return known->first;
  std::string alias = "#";
  for (const char c : attribute) {
    if (text::IsAlphanumeric(c)) alias += c;
  }
  const bool taken = std::ranges::find(names_, alias, &Pair::first) != names_.end();
  if (taken || alias.size() == 1) alias += "_" + std::to_string(names_.size());
  names_.emplace_back(alias, attribute);
  return alias;
}

std::string ExpressionTerms::Path(std::string_view path) {
  std::string named;
  while (true) {
    const size_t dot = path.find('.');
    named += Name(std::string(path.substr(0, dot)));
    if (dot == std::string_view::npos) return named;
    named += '.';
    path.remove_prefix(dot + 1);
  }
}

std::string ExpressionTerms::Text(std::string_view name, item::Type type, std::string_view text) {
  std::string json;
  json::Writer writer(&json);
  writer.BeginObject().Key(item::TypeName(type)).String(text).EndObject();
  values_.emplace_back(":" + std::string(name), std::move(json));
  return values_.back().first;
}

std::optional<std::string> ExpressionTerms::Literal(const item::Value& value) {
  const std::string name = "value" + std::to_string(values_.size());
  if (value.is(item::Type::kString)) return Text(name, value.type(), value.string());
  if (value.is(item::Type::kNumber)) return Text(name, value.type(), value.number().ToString());
  if (!value.is(item::Type::kBool)) return std::nullopt;
  values_.emplace_back(":" + name, value.boolean() ? R"({"BOOL":true})" : R"({"BOOL":false})");
  return values_.back().first;
}

void ExpressionTerms::Write(json::Writer* writer) const {
  if (!names_.empty()) {
    writer->Key("ExpressionAttributeNames").BeginObject();
    for (const Pair& name : names_) writer->Key(name.first).String(name.second);
    writer->EndObject();
  }
  if (values_.empty()) return;
  writer->Key("ExpressionAttributeValues").BeginObject();
  for (const Pair& value : values_) writer->Key(value.first).Raw(value.second);
  writer->EndObject();
}

std::optional<std::string> FilterOf(const EntityModel& entity, const Rule& filter,
                                    ExpressionTerms* terms) {
  const Result<RuleTree> tree = ParseRule(filter.text());
  if (!tree || *tree == nullptr) return std::nullopt;
  // Only what can be said as a whole may add names and values to the request.
  ExpressionTerms tried = *terms;
  std::optional<std::string> expression = FilterWriter(entity, &tried).Write(**tree);
  if (expression) *terms = std::move(tried);
  return expression;
}

}  // namespace monotable::model

#include "model/plan/read_request.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "expression/reserved_words.h"
#include "json/json_writer.h"
#include "model/plan/keys.h"
#include "model/rule/rule_tree.h"
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

// Writes a rule in DynamoDB's condition language.
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
  // The stored path. Nothing if the node is not an attribute, or is an attribute with another
  // stored form.
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

  // Bare words that are not attributes are text.
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
    // In a rule, a comparison with a missing attribute is false; in DynamoDB, <> is then true.
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
  // A filter adds names and values to the request only if all of it can be expressed.
  ExpressionTerms tried = *terms;
  std::optional<std::string> expression = FilterWriter(entity, &tried).Write(**tree);
  if (expression) *terms = std::move(tried);
  return expression;
}

namespace {

item::Type TypeOf(const TableModel& table, std::string_view attribute) {
  if (const table::KeyAttribute* key = table.key.Find(attribute)) return key->type;
  for (const IndexModel& index : table.indexes) {
    if (const table::KeyAttribute* key = index.key.Find(attribute)) return key->type;
  }
  return item::Type::kString;
}

std::string_view Operator(WhereTerm::Comparison comparison) {
  switch (comparison) {
    case WhereTerm::Comparison::kLess:
      return " < ";
    case WhereTerm::Comparison::kLessOrEqual:
      return " <= ";
    case WhereTerm::Comparison::kGreater:
      return " > ";
    case WhereTerm::Comparison::kGreaterOrEqual:
      return " >= ";
    default:
      return " = ";
  }
}

std::string SortExpression(const TableModel& table, const ReadStep& step, ExpressionTerms* used) {
  const SortCondition& condition = *step.range;
  const item::Type type = TypeOf(table, step.range_attribute);
  const std::string name = used->Name(step.range_attribute);
  if (condition.comparison == WhereTerm::Comparison::kBetween && condition.upper) {
    const std::string from = used->Text("from", type, condition.value.text());
    const std::string to = used->Text("to", type, condition.upper->text());
    return name + " BETWEEN " + from + " AND " + to;
  }
  const std::string value = used->Text("range", type, condition.value.text());
  if (condition.comparison == WhereTerm::Comparison::kBeginsWith) {
    return "begins_with(" + name + ", " + value + ")";
  }
  return name + std::string(Operator(condition.comparison)) + value;
}

// The condition that excludes other entities. It uses the type attribute if the index holds it.
// Otherwise it uses the beginning of the table's sort key, which every index holds, unless that
// attribute is a key of the same index, which a filter may not name. If neither works there is no
// condition, and the reader tells entities apart by their keys.
std::string TypeFilter(const TableModel& table, const EntityModel& entity, const ReadStep& step,
                       ExpressionTerms* used) {
  const IndexModel* index = step.index.empty() ? nullptr : table.FindIndex(step.index);
  if (!table.type_attribute.empty()) {
    const bool held =
        index == nullptr || index->projection.type == table::ProjectionType::kAll ||
        std::ranges::find(index->projection.non_key_attributes, table.type_attribute) !=
            index->projection.non_key_attributes.end();
    if (held) {
      return used->Name(table.type_attribute) + " = " +
             used->Text("type", item::Type::kString, entity.type_value);
    }
  }
  if (index == nullptr || table.key.range.empty()) return "";
  const std::string& name = table.key.range.front().name;
  const KeyModel::Part* part = entity.primary().Find(name);
  if (index->key.Has(name) || part == nullptr || part->text.Prefix().empty()) return "";
  return "begins_with(" + used->Name(name) + ", " +
         used->Text("type", item::Type::kString, part->text.Prefix()) + ")";
}

void WriteKey(const TableModel& table, const ReadStep& step, json::Writer* writer) {
  const auto attribute = [&](const std::string& name, const std::string& text) {
    writer->Key(name).BeginObject();
    writer->Key(item::TypeName(TypeOf(table, name))).String(text).EndObject();
  };
  writer->Key("Key").BeginObject();
  attribute(step.hash_attribute, step.hash.text());
  if (step.range) attribute(step.range_attribute, step.range->value.text());
  writer->EndObject();
}

void WriteQuery(const Model& model, const PatternModel& pattern, const ReadStep& step,
                json::Writer* writer) {
  const TableModel& table = *model.FindTable(step.table);
  ExpressionTerms used;
  std::string condition = used.Name(step.hash_attribute) + " = " +
                          used.Text("hash", TypeOf(table, step.hash_attribute), step.hash.text());
  if (step.range) condition += " AND " + SortExpression(table, step, &used);
  std::string filter;
  const EntityModel* entity = model.FindEntity(step.entity);
  if (step.filter_by_type && entity != nullptr) filter = TypeFilter(table, *entity, step, &used);
  if (pattern.filter && entity != nullptr) {
    if (const std::optional<std::string> own = FilterOf(*entity, *pattern.filter, &used)) {
      filter += (filter.empty() ? "" : " AND ") + *own;
    }
  }
  if (!step.index.empty()) writer->Key("IndexName").String(step.index);
  writer->Key("KeyConditionExpression").String(condition);
  if (!filter.empty()) writer->Key("FilterExpression").String(filter);
  used.Write(writer);
  if (pattern.kind == PatternModel::Kind::kCount) writer->Key("Select").String("COUNT");
  if (step.descending) writer->Key("ScanIndexForward").Bool(false);
  if (pattern.page > 0) writer->Key("Limit").Integer(pattern.page);
}

}  // namespace

std::string RequestOf(const Model& model, const PatternModel& pattern, const ReadPlan& plan) {
  const ReadStep& step = plan.steps.front();
  const TableModel* table = model.FindTable(step.table);
  if (table == nullptr) return "";
  std::string json;
  json::Writer writer(&json);
  writer.BeginObject().Key("TableName").String(table->name);
  if (step.action == ReadStep::Action::kGetItem) {
    WriteKey(*table, step, &writer);
  } else {
    WriteQuery(model, pattern, step, &writer);
  }
  writer.EndObject();
  return json;
}

}  // namespace monotable::model

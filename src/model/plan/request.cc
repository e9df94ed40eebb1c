#include "model/plan/request.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "json/json_writer.h"
#include "model/plan/expression.h"

namespace monotable::model {
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

// What leaves the other entities out: the type attribute if the index holds it, otherwise the
// beginning of the table's sort key, which an index always holds and a filter may name unless it is
// a key of that same index. Nothing if neither can, and the reader tells by the keys.
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

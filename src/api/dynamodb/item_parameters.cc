#include "api/dynamodb/item_parameters.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "wire/attribute_value.h"

namespace monotable::api::dynamodb {
namespace {

using expression::ComparisonOperator;

constexpr EnumName<ComparisonOperator> kComparisons[] = {
    {"EQ", ComparisonOperator::kEq},
    {"NE", ComparisonOperator::kNe},
    {"LE", ComparisonOperator::kLe},
    {"LT", ComparisonOperator::kLt},
    {"GE", ComparisonOperator::kGe},
    {"GT", ComparisonOperator::kGt},
    {"NOT_NULL", ComparisonOperator::kNotNull},
    {"NULL", ComparisonOperator::kNull},
    {"CONTAINS", ComparisonOperator::kContains},
    {"NOT_CONTAINS", ComparisonOperator::kNotContains},
    {"BEGINS_WITH", ComparisonOperator::kBeginsWith},
    {"IN", ComparisonOperator::kIn},
    {"BETWEEN", ComparisonOperator::kBetween},
};

constexpr EnumName<expression::LegacyAction> kActions[] = {
    {"PUT", expression::LegacyAction::kPut},
    {"ADD", expression::LegacyAction::kAdd},
    {"DELETE", expression::LegacyAction::kDelete},
};

constexpr EnumName<expression::ConditionalOperator> kConditionalOperators[] = {
    {"AND", expression::ConditionalOperator::kAnd},
    {"OR", expression::ConditionalOperator::kOr},
};

constexpr EnumName<operations::ReturnValues> kReturnValues[] = {
    {"NONE", operations::ReturnValues::kNone},
    {"ALL_OLD", operations::ReturnValues::kAllOld},
    {"UPDATED_OLD", operations::ReturnValues::kUpdatedOld},
    {"ALL_NEW", operations::ReturnValues::kAllNew},
    {"UPDATED_NEW", operations::ReturnValues::kUpdatedNew},
};

constexpr EnumName<operations::ReturnConsumedCapacity> kConsumedCapacities[] = {
    {"NONE", operations::ReturnConsumedCapacity::kNone},
    {"TOTAL", operations::ReturnConsumedCapacity::kTotal},
    {"INDEXES", operations::ReturnConsumedCapacity::kIndexes},
};

std::string PresentNames(const Fields& fields, std::initializer_list<std::string_view> names) {
  std::string present;
  for (const std::string_view name : names) {
    if (!fields.Has(name)) continue;
    if (!present.empty()) present.append(", ");
    present.append(name);
  }
  return present;
}

Result<std::optional<std::vector<item::Value>>> DecodeValueList(const Fields& fields) {
  const auto element = fields.Find("AttributeValueList");
  if (!element) return std::optional<std::vector<item::Value>>();
  std::vector<item::Value> values;
  for (const auto& member : json::ArrayOf(*element)) {
    TRY_ASSIGN(auto value, wire::DecodeValue(member));
    values.push_back(std::move(value));
  }
  return std::optional(std::move(values));
}

Result<std::optional<item::Value>> DecodeValueMember(const Fields& fields) {
  const auto element = fields.Find("Value");
  if (!element) return std::optional<item::Value>();
  TRY_ASSIGN(auto value, wire::DecodeValue(*element));
  return std::optional(std::move(value));
}

// A value of ExpressionAttributeValues. Validation errors name the value. Text that is not base64
// fails before the service knows which value it is looking at.
Result<item::Value> DecodeExpressionValue(std::string_view key, const json::Element& element,
                                          wire::Nesting nesting) {
  auto value = wire::DecodeValue(element, nesting);
  if (value || value.error().code() != ErrorCode::kValidation) return value;
  return Error::Validation(
      fmt::format("ExpressionAttributeValues contains invalid value: {} for key {}",
                  value.error().message(), key));
}

void EncodeUnits(const operations::CapacityUnits& units, bool split, json::Writer* writer) {
  writer->Key("CapacityUnits").Double(units.total);
  if (!split) return;
  if (units.read > 0) writer->Key("ReadCapacityUnits").Double(units.read);
  if (units.write > 0) writer->Key("WriteCapacityUnits").Double(units.write);
}

void EncodeIndexes(std::string_view name,
                   const std::map<std::string, operations::CapacityUnits>& indexes, bool split,
                   json::Writer* writer) {
  if (indexes.empty()) return;
  writer->Key(name).BeginObject();
  for (const auto& [index, units] : indexes) {
    writer->Key(index).BeginObject();
    EncodeUnits(units, split, writer);
    writer->EndObject();
  }
  writer->EndObject();
}

void EncodeEntry(const operations::ConsumedCapacity& consumed, json::Writer* writer) {
  const bool split = consumed.print_split;
  writer->BeginObject().Key("TableName").String(consumed.table_name);
  EncodeUnits(consumed.total, split, writer);
  if (consumed.detail == operations::ReturnConsumedCapacity::kIndexes) {
    writer->Key("Table").BeginObject();
    EncodeUnits(consumed.table, split, writer);
    writer->EndObject();
    EncodeIndexes("LocalSecondaryIndexes", consumed.local_indexes, split, writer);
    EncodeIndexes("GlobalSecondaryIndexes", consumed.global_indexes, split, writer);
  }
  writer->EndObject();
}

void EncodeMetrics(const operations::ItemCollectionMetrics& metrics, json::Writer* writer) {
  item::Item key;
  key.Set(metrics.hash_name, metrics.hash_value);
  writer->BeginObject().Key("ItemCollectionKey");
  wire::EncodeItem(key, writer);
  writer->Key("SizeEstimateRangeGB").BeginArray();
  writer->Double(metrics.size_gb_lower).Double(metrics.size_gb_upper).EndArray().EndObject();
}

}  // namespace

Status CheckNotMixed(const Fields& fields, std::initializer_list<std::string_view> legacy,
                     std::initializer_list<std::string_view> expressions) {
  const std::string legacy_names = PresentNames(fields, legacy);
  if (legacy_names.empty()) return {};
  const std::string expression_names = PresentNames(fields, expressions);
  if (expression_names.empty()) return {};
  return Error::Validation(
      fmt::format("Can not use both expression and non-expression parameters in the same request: "
                  "Non-expression parameters: {{{}}} Expression parameters: {{{}}}",
                  legacy_names, expression_names));
}

Result<item::Item> DecodeItemMember(const Fields& fields, std::string_view name) {
  const auto element = fields.Find(name);
  return element ? wire::DecodeItem(json::ObjectOf(*element)) : item::Item();
}

operations::ExpressionAttributes DecodeExpressionNames(const Fields& fields) {
  operations::ExpressionAttributes attributes;
  if (const auto names = fields.Find("ExpressionAttributeNames")) {
    attributes.names.emplace();
    for (const auto& [token, name] : json::ObjectOf(*names)) {
      attributes.names->insert_or_assign(std::string(token), std::string(json::StringOf(name)));
    }
  }
  return attributes;
}

Result<operations::ExpressionAttributes> DecodeExpressionAttributes(const Fields& fields,
                                                                    wire::Nesting nesting) {
  operations::ExpressionAttributes attributes = DecodeExpressionNames(fields);
  if (const auto values = fields.Find("ExpressionAttributeValues")) {
    attributes.values.emplace();
    for (const auto& [token, element] : json::ObjectOf(*values)) {
      TRY_ASSIGN(auto value, DecodeExpressionValue(token, element, nesting));
      attributes.values->insert_or_assign(std::string(token), std::move(value));
    }
  }
  return attributes;
}

Result<std::optional<expression::LegacyExpectations>> DecodeExpected(const Fields& fields) {
  const auto element = fields.Find("Expected");
  if (!element) return std::optional<expression::LegacyExpectations>();
  expression::LegacyExpectations expectations;
  for (const auto& [name, member] : json::ObjectOf(*element)) {
    const Fields entry(member);
    expression::LegacyExpected expected;
    TRY_ASSIGN(expected.value, DecodeValueMember(entry));
    expected.exists = entry.OptionalFlag("Exists");
    expected.comparison = entry.OptionalEnum("ComparisonOperator", kComparisons);
    TRY_ASSIGN(expected.values, DecodeValueList(entry));
    expectations.insert_or_assign(std::string(name), std::move(expected));
  }
  return std::optional(std::move(expectations));
}

Result<std::optional<expression::LegacyConditions>> DecodeConditions(const Fields& fields,
                                                                     std::string_view name) {
  const auto element = fields.Find(name);
  if (!element) return std::optional<expression::LegacyConditions>();
  expression::LegacyConditions conditions;
  for (const auto& [attribute, member] : json::ObjectOf(*element)) {
    const Fields entry(member);
    expression::LegacyCondition condition;
    condition.comparison =
        entry.OptionalEnum("ComparisonOperator", kComparisons).value_or(ComparisonOperator::kEq);
    TRY_ASSIGN(auto values, DecodeValueList(entry));
    if (values) condition.values = std::move(*values);
    conditions.insert_or_assign(std::string(attribute), std::move(condition));
  }
  return std::optional(std::move(conditions));
}

Result<std::optional<expression::LegacyUpdates>> DecodeAttributeUpdates(const Fields& fields) {
  const auto element = fields.Find("AttributeUpdates");
  if (!element) return std::optional<expression::LegacyUpdates>();
  expression::LegacyUpdates updates;
  for (const auto& [name, member] : json::ObjectOf(*element)) {
    const Fields entry(member);
    expression::LegacyUpdate update;
    TRY_ASSIGN(update.value, DecodeValueMember(entry));
    update.action = entry.OptionalEnum("Action", kActions).value_or(expression::LegacyAction::kPut);
    updates.insert_or_assign(std::string(name), std::move(update));
  }
  return std::optional(std::move(updates));
}

std::optional<expression::ConditionalOperator> DecodeConditionalOperator(const Fields& fields) {
  return fields.OptionalEnum("ConditionalOperator", kConditionalOperators);
}

operations::ReturnValues DecodeReturnValues(const Fields& fields) {
  return fields.OptionalEnum("ReturnValues", kReturnValues)
      .value_or(operations::ReturnValues::kNone);
}

operations::ReturnConsumedCapacity DecodeReturnConsumedCapacity(const Fields& fields) {
  return fields.OptionalEnum("ReturnConsumedCapacity", kConsumedCapacities)
      .value_or(operations::ReturnConsumedCapacity::kNone);
}

bool DecodeReturnItemCollectionMetrics(const Fields& fields) {
  return fields.Text("ReturnItemCollectionMetrics") == "SIZE";
}

bool DecodeReturnOldOnConditionFailure(const Fields& fields) {
  return fields.Text("ReturnValuesOnConditionCheckFailure") == "ALL_OLD";
}

void EncodeConsumedCapacity(const std::optional<operations::ConsumedCapacity>& consumed,
                            json::Writer* writer) {
  if (!consumed) return;
  writer->Key("ConsumedCapacity");
  EncodeEntry(*consumed, writer);
}

void EncodeConsumedCapacity(const std::vector<operations::ConsumedCapacity>& consumed,
                            json::Writer* writer) {
  if (consumed.empty()) return;
  writer->Key("ConsumedCapacity").BeginArray();
  for (const auto& entry : consumed) EncodeEntry(entry, writer);
  writer->EndArray();
}

void EncodeItemCollectionMetrics(const std::optional<operations::ItemCollectionMetrics>& metrics,
                                 json::Writer* writer) {
  if (!metrics) return;
  writer->Key("ItemCollectionMetrics");
  EncodeMetrics(*metrics, writer);
}

void EncodeItemCollectionMetrics(const std::vector<operations::ItemCollectionMetrics>& metrics,
                                 json::Writer* writer) {
  if (metrics.empty()) return;
  std::map<std::string_view, std::vector<const operations::ItemCollectionMetrics*>> by_table;
  for (const auto& entry : metrics) by_table[entry.table_name].push_back(&entry);
  writer->Key("ItemCollectionMetrics").BeginObject();
  for (const auto& [table, entries] : by_table) {
    writer->Key(table).BeginArray();
    for (const auto* entry : entries) EncodeMetrics(*entry, writer);
    writer->EndArray();
  }
  writer->EndObject();
}

void EncodeOptionalItem(std::string_view name, const std::optional<encoding::EncodedItem>& item,
                        json::Writer* writer) {
  if (!item) return;
  writer->Key(name);
  wire::EncodeItem(encoding::ItemView(*item), writer);
}

void EncodeItems(const std::vector<encoding::EncodedItem>& items, json::Writer* writer) {
  writer->BeginArray();
  for (const auto& item : items) wire::EncodeItem(encoding::ItemView(item), writer);
  writer->EndArray();
}

size_t ExpectedSizeOfAll(const std::vector<encoding::EncodedItem>& items) {
  size_t size = 0;
  for (const auto& item : items) size += wire::ExpectedSize(encoding::ItemView(item));
  return size;
}

}  // namespace monotable::api::dynamodb

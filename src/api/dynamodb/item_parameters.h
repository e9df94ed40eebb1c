#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "api/dynamodb/shapes.h"
#include "error/result.h"
#include "json/json_writer.h"
#include "operations/parameters.h"
#include "wire/attribute_value.h"
#include "wire/fields.h"

// The parameters and members of answers that several operations on items share.
namespace monotable::api::dynamodb {
namespace shapes {

// Item operations take any name of one to 255 characters, although no table can have a name
// shorter than three, and the ARN of a table.
inline constexpr Shape kItemTableName = Bounded(Kind::kString, 1, 255, Pattern::kNameOrArn);
inline constexpr std::string_view kConsumedCapacityNames[] = {"INDEXES", "TOTAL", "NONE"};
inline constexpr std::string_view kCollectionMetricsNames[] = {"SIZE", "NONE"};
inline constexpr std::string_view kConditionFailureNames[] = {"ALL_OLD", "NONE"};
inline constexpr std::string_view kConditionalOperatorNames[] = {"OR", "AND"};
inline constexpr std::string_view kComparisonNames[] = {
    "IN",       "NULL", "BETWEEN", "LT",          "NOT_CONTAINS", "EQ",      "GT",
    "NOT_NULL", "NE",   "LE",      "BEGINS_WITH", "GE",           "CONTAINS"};
inline constexpr Shape kConsumedCapacity = Enumeration(kConsumedCapacityNames);
inline constexpr Shape kCollectionMetrics = Enumeration(kCollectionMetricsNames);
inline constexpr Shape kConditionFailure = Enumeration(kConditionFailureNames);
inline constexpr Shape kConditionalOperator = Enumeration(kConditionalOperatorNames);
inline constexpr Shape kComparison = Enumeration(kComparisonNames);

inline constexpr Shape kValueList = {.kind = Kind::kList, .element = &kAttributeValue};
inline constexpr Shape kValueMap = {.kind = Kind::kMap, .element = &kAttributeValue};

inline constexpr Shape kNames = MapOf(&kText);
inline constexpr Shape kAttributeName = Bounded(Kind::kString, kNoMin, 65535);
inline constexpr Shape kAttributeNames = ListOf(&kAttributeName, 1);

inline constexpr Member kConditionMembers[] = {
    {"AttributeValueList", &kValueList},
    {"ComparisonOperator", &kComparison, true},
};
inline constexpr Shape kCondition = Structure("Condition", kConditionMembers);
inline constexpr Shape kConditions = MapOf(&kCondition);

}  // namespace shapes

// A request uses expressions or the parameters that they replaced, never both. The service says so
// before it looks at any value, naming the parameters in the order given here.
Status CheckNotMixed(const Fields& fields, std::initializer_list<std::string_view> legacy,
                     std::initializer_list<std::string_view> expressions);

// An item or a key; required by the shape.
Result<item::Item> DecodeItemMember(const Fields& fields, std::string_view name);
// Names alone for operations whose only expression is a projection.
operations::ExpressionAttributes DecodeExpressionNames(const Fields& fields);
Result<operations::ExpressionAttributes> DecodeExpressionAttributes(
    const Fields& fields, wire::Nesting nesting = wire::Nesting::kChecked);

Result<std::optional<expression::LegacyExpectations>> DecodeExpected(const Fields& fields);
Result<std::optional<expression::LegacyConditions>> DecodeConditions(const Fields& fields,
                                                                     std::string_view name);
Result<std::optional<expression::LegacyUpdates>> DecodeAttributeUpdates(const Fields& fields);
std::optional<expression::ConditionalOperator> DecodeConditionalOperator(const Fields& fields);

operations::ReturnValues DecodeReturnValues(const Fields& fields);
operations::ReturnConsumedCapacity DecodeReturnConsumedCapacity(const Fields& fields);
bool DecodeReturnItemCollectionMetrics(const Fields& fields);
bool DecodeReturnOldOnConditionFailure(const Fields& fields);

// The members ConsumedCapacity and ItemCollectionMetrics of the object of a response. Nothing is
// printed if the response has no such member.
void EncodeConsumedCapacity(const std::optional<operations::ConsumedCapacity>& consumed,
                            json::Writer* writer);
// One entry for each table.
void EncodeConsumedCapacity(const std::vector<operations::ConsumedCapacity>& consumed,
                            json::Writer* writer);

void EncodeItemCollectionMetrics(const std::optional<operations::ItemCollectionMetrics>& metrics,
                                 json::Writer* writer);
// Grouped by table.
void EncodeItemCollectionMetrics(const std::vector<operations::ItemCollectionMetrics>& metrics,
                                 json::Writer* writer);

// An item as a member of the response, if there is one.
void EncodeOptionalItem(std::string_view name, const std::optional<encoding::EncodedItem>& item,
                        json::Writer* writer);
// A list of items.
void EncodeItems(const std::vector<encoding::EncodedItem>& items, json::Writer* writer);
// About how many bytes the list will take, so that a caller can reserve them at once.
size_t ExpectedSizeOfAll(const std::vector<encoding::EncodedItem>& items);

}  // namespace monotable::api::dynamodb

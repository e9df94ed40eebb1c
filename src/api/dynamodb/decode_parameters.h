#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "api/dynamodb/attribute_value.h"
#include "api/dynamodb/fields.h"
#include "error/result.h"
#include "operations/parameters.h"

// The parameters that several operations share.
namespace monotable::api::dynamodb {

// A request uses expressions or the parameters that they replaced, never both. The service says so
// before it looks at any value, naming the parameters in the order given here.
Status CheckNotMixed(const Fields& fields, std::initializer_list<std::string_view> legacy,
                     std::initializer_list<std::string_view> expressions);

// An item or a key; required by the shape.
Result<item::Item> DecodeItemMember(const Fields& fields, std::string_view name);
// Names alone for operations whose only expression is a projection.
operations::ExpressionAttributes DecodeExpressionNames(const Fields& fields);
Result<operations::ExpressionAttributes> DecodeExpressionAttributes(
    const Fields& fields, Nesting nesting = Nesting::kChecked);

Result<std::optional<expression::LegacyExpectations>> DecodeExpected(const Fields& fields);
Result<std::optional<expression::LegacyConditions>> DecodeConditions(const Fields& fields,
                                                                     std::string_view name);
Result<std::optional<expression::LegacyUpdates>> DecodeAttributeUpdates(const Fields& fields);
std::optional<expression::ConditionalOperator> DecodeConditionalOperator(const Fields& fields);

operations::ReturnValues DecodeReturnValues(const Fields& fields);
operations::ReturnConsumedCapacity DecodeReturnConsumedCapacity(const Fields& fields);
bool DecodeReturnItemCollectionMetrics(const Fields& fields);
bool DecodeReturnOldOnConditionFailure(const Fields& fields);

}  // namespace monotable::api::dynamodb

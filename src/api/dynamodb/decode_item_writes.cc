#include <utility>

#include "api/dynamodb/decode.h"
#include "api/dynamodb/decode_parameters.h"

namespace monotable::api::dynamodb {
namespace {

// What a put and a delete can answer; only an update has new values to show.
Status CheckReturnsOldOnly(operations::ReturnValues values) {
  if (values == operations::ReturnValues::kNone || values == operations::ReturnValues::kAllOld) {
    return {};
  }
  return Error::Validation("ReturnValues can only be ALL_OLD or NONE");
}

// The parameters that all three writes have, except for what stands in expressions: the service
// checks that before the item or key, and the rest after it.
template <typename Request>
Status DecodeWrite(const Fields& fields, Request* request) {
  request->table_name = fields.Text("TableName");
  request->condition_expression = fields.OptionalText("ConditionExpression");
  TRY_ASSIGN(request->expected, DecodeExpected(fields));
  request->conditional_operator = DecodeConditionalOperator(fields);
  request->return_old_on_condition_failure = DecodeReturnOldOnConditionFailure(fields);
  request->return_consumed_capacity = DecodeReturnConsumedCapacity(fields);
  request->return_item_collection_metrics = DecodeReturnItemCollectionMetrics(fields);
  return {};
}

}  // namespace

Result<operations::PutItemRequest> DecodePutItem(const json::Object& body) {
  const Fields fields(body);
  TRY(CheckNotMixed(fields, {"Expected", "ConditionalOperator"}, {"ConditionExpression"}));
  operations::PutItemRequest request;
  TRY_ASSIGN(request.attributes, DecodeExpressionAttributes(fields));
  TRY_ASSIGN(request.item, DecodeItemMember(fields, "Item"));
  request.return_values = DecodeReturnValues(fields);
  TRY(CheckReturnsOldOnly(request.return_values));
  TRY(DecodeWrite(fields, &request));
  return request;
}

Result<operations::UpdateItemRequest> DecodeUpdateItem(const json::Object& body) {
  const Fields fields(body);
  TRY(CheckNotMixed(fields, {"AttributeUpdates", "Expected", "ConditionalOperator"},
                    {"UpdateExpression", "ConditionExpression"}));
  operations::UpdateItemRequest request;
  TRY_ASSIGN(request.attributes, DecodeExpressionAttributes(fields));
  TRY_ASSIGN(request.key, DecodeItemMember(fields, "Key"));
  request.return_values = DecodeReturnValues(fields);
  TRY_ASSIGN(request.attribute_updates, DecodeAttributeUpdates(fields));
  request.update_expression = fields.OptionalText("UpdateExpression");
  TRY(DecodeWrite(fields, &request));
  return request;
}

Result<operations::DeleteItemRequest> DecodeDeleteItem(const json::Object& body) {
  const Fields fields(body);
  TRY(CheckNotMixed(fields, {"Expected", "ConditionalOperator"}, {"ConditionExpression"}));
  operations::DeleteItemRequest request;
  TRY_ASSIGN(request.attributes, DecodeExpressionAttributes(fields));
  TRY_ASSIGN(request.key, DecodeItemMember(fields, "Key"));
  request.return_values = DecodeReturnValues(fields);
  TRY(CheckReturnsOldOnly(request.return_values));
  TRY(DecodeWrite(fields, &request));
  return request;
}

}  // namespace monotable::api::dynamodb

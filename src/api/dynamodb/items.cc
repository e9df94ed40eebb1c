#include "operations/items.h"

#include <span>
#include <string>
#include <string_view>

#include "api/dynamodb/codecs.h"
#include "api/dynamodb/item_parameters.h"
#include "api/dynamodb/operation.h"
#include "api/dynamodb/shapes.h"

namespace monotable::api::dynamodb {
namespace shapes {
namespace {

constexpr Member kGetItemMembers[] = {
    {"TableName", &kItemTableName, true},           {"Key", &kValueMap, true},
    {"AttributesToGet", &kAttributeNames},          {"ConsistentRead", &kFlag},
    {"ReturnConsumedCapacity", &kConsumedCapacity}, {"ProjectionExpression", &kText},
    {"ExpressionAttributeNames", &kNames},
};
constexpr Shape kGetItem = Structure("GetItemInput", kGetItemMembers);

// Enumerations in the order in which the service prints them, which is not that of its model.
constexpr std::string_view kReturnValuesNames[] = {"ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE",
                                                   "UPDATED_NEW"};
constexpr Shape kReturnValues = Enumeration(kReturnValuesNames);
constexpr std::string_view kActionNames[] = {"ADD", "DELETE", "PUT"};
constexpr Shape kAction = Enumeration(kActionNames);

constexpr Member kExpectedMembers[] = {
    {"Value", &kAttributeValue},
    {"Exists", &kFlag},
    {"ComparisonOperator", &kComparison},
    {"AttributeValueList", &kValueList},
};
constexpr Shape kExpectedValue = {.kind = Kind::kStructure,
                                  .constrained = true,
                                  .name = "ExpectedAttributeValue",
                                  .members = kExpectedMembers};
constexpr Shape kExpected = MapOf(&kExpectedValue);

constexpr Member kUpdateMembers[] = {
    {"Value", &kAttributeValue},
    {"Action", &kAction},
};
constexpr Shape kUpdate = {.kind = Kind::kStructure,
                           .constrained = true,
                           .name = "AttributeValueUpdate",
                           .members = kUpdateMembers};
constexpr Shape kUpdates = MapOf(&kUpdate);

constexpr Member kPutItemMembers[] = {
    {"TableName", &kItemTableName, true},
    {"Item", &kValueMap, true},
    {"Expected", &kExpected},
    {"ReturnValues", &kReturnValues},
    {"ReturnConsumedCapacity", &kConsumedCapacity},
    {"ReturnItemCollectionMetrics", &kCollectionMetrics},
    {"ConditionalOperator", &kConditionalOperator},
    {"ConditionExpression", &kText},
    {"ExpressionAttributeNames", &kNames},
    {"ExpressionAttributeValues", &kValueMap},
    {"ReturnValuesOnConditionCheckFailure", &kConditionFailure},
};
constexpr Shape kPutItem = Structure("PutItemInput", kPutItemMembers);

constexpr Member kUpdateItemMembers[] = {
    {"TableName", &kItemTableName, true},
    {"Key", &kValueMap, true},
    {"AttributeUpdates", &kUpdates},
    {"Expected", &kExpected},
    {"ConditionalOperator", &kConditionalOperator},
    {"ReturnValues", &kReturnValues},
    {"ReturnConsumedCapacity", &kConsumedCapacity},
    {"ReturnItemCollectionMetrics", &kCollectionMetrics},
    {"UpdateExpression", &kText},
    {"ConditionExpression", &kText},
    {"ExpressionAttributeNames", &kNames},
    {"ExpressionAttributeValues", &kValueMap},
    {"ReturnValuesOnConditionCheckFailure", &kConditionFailure},
};

constexpr Shape UpdateItemShape() {
  Shape shape = Structure("UpdateItemInput", kUpdateItemMembers);
  shape.first_violation_only = true;
  return shape;
}
constexpr Shape kUpdateItem = UpdateItemShape();

constexpr Member kDeleteItemMembers[] = {
    {"TableName", &kItemTableName, true},
    {"Key", &kValueMap, true},
    {"Expected", &kExpected},
    {"ConditionalOperator", &kConditionalOperator},
    {"ReturnValues", &kReturnValues},
    {"ReturnConsumedCapacity", &kConsumedCapacity},
    {"ReturnItemCollectionMetrics", &kCollectionMetrics},
    {"ConditionExpression", &kText},
    {"ExpressionAttributeNames", &kNames},
    {"ExpressionAttributeValues", &kValueMap},
    {"ReturnValuesOnConditionCheckFailure", &kConditionFailure},
};
constexpr Shape kDeleteItem = Structure("DeleteItemInput", kDeleteItemMembers);

}  // namespace
}  // namespace shapes

namespace {

// What a put and a delete can answer; only an update has new values to show.
Status CheckReturnsOldOnly(operations::ReturnValues values) {
  if (values == operations::ReturnValues::kNone || values == operations::ReturnValues::kAllOld) {
    return {};
  }
  return Error::Validation("ReturnValues can only be ALL_OLD or NONE");
}

// The parameters that all three writes have, except for names and values of expressions. The
// service checks names and values before the item or key, and these parameters after it.
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

Result<operations::GetItemRequest> DecodeGetItem(const json::Object& body) {
  const Fields fields(body);
  TRY(CheckNotMixed(fields, {"AttributesToGet"}, {"ProjectionExpression"}));
  operations::GetItemRequest request;
  request.table_name = fields.Text("TableName");
  TRY_ASSIGN(request.key, DecodeItemMember(fields, "Key"));
  request.consistent_read = fields.Flag("ConsistentRead");
  request.projection_expression = fields.OptionalText("ProjectionExpression");
  request.attributes_to_get = fields.OptionalTexts("AttributesToGet");
  request.attributes = DecodeExpressionNames(fields);
  request.return_consumed_capacity = DecodeReturnConsumedCapacity(fields);
  return request;
}

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

void EncodeGetItem(const operations::GetItemResponse& response, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject();
  EncodeOptionalItem("Item", response.item, &writer);
  EncodeConsumedCapacity(response.consumed_capacity, &writer);
  writer.EndObject();
}

void EncodeWriteItem(const operations::WriteItemResponse& response, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject();
  EncodeOptionalItem("Attributes", response.attributes, &writer);
  EncodeConsumedCapacity(response.consumed_capacity, &writer);
  EncodeItemCollectionMetrics(response.item_collection_metrics, &writer);
  writer.EndObject();
}

std::span<const Operation> ItemOperations() {
  static constexpr Operation kOperations[] = {
      {"GetItem", shapes::kGetItem, Place::kInline,
       Returning<DecodeGetItem, operations::GetItem, EncodeGetItem>},
      {"PutItem", shapes::kPutItem, Place::kInline,
       CallingBack<DecodePutItem, operations::PutItem, EncodeWriteItem>},
      {"UpdateItem", shapes::kUpdateItem, Place::kInline,
       CallingBack<DecodeUpdateItem, operations::UpdateItem, EncodeWriteItem>},
      {"DeleteItem", shapes::kDeleteItem, Place::kInline,
       CallingBack<DecodeDeleteItem, operations::DeleteItem, EncodeWriteItem>},
  };
  return kOperations;
}

}  // namespace monotable::api::dynamodb

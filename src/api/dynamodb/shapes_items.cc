#include "api/dynamodb/shapes.h"

namespace monotable::api::dynamodb::shapes {
namespace {

constexpr Shape kBlob = Scalar(Kind::kBlob);

// Item operations take any name of one to 255 characters, although no table can have a name
// shorter than three, and the ARN of a table.
constexpr Shape kItemTableName = Bounded(Kind::kString, 1, 255, Pattern::kNameOrArn);
constexpr Shape kItemIndexName = Bounded(Kind::kString, 3, 255, Pattern::kName);

// Enumerations in the order in which the service prints them, which is not that of its model.
constexpr std::string_view kReturnValuesNames[] = {"ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE",
                                                   "UPDATED_NEW"};
constexpr std::string_view kConsumedCapacityNames[] = {"INDEXES", "TOTAL", "NONE"};
constexpr std::string_view kCollectionMetricsNames[] = {"SIZE", "NONE"};
constexpr std::string_view kConditionFailureNames[] = {"ALL_OLD", "NONE"};
constexpr std::string_view kConditionalOperatorNames[] = {"OR", "AND"};
constexpr std::string_view kComparisonNames[] = {
    "IN",       "NULL", "BETWEEN", "LT",          "NOT_CONTAINS", "EQ",      "GT",
    "NOT_NULL", "NE",   "LE",      "BEGINS_WITH", "GE",           "CONTAINS"};
constexpr std::string_view kActionNames[] = {"ADD", "DELETE", "PUT"};
constexpr std::string_view kSelectNames[] = {"SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES",
                                             "ALL_PROJECTED_ATTRIBUTES"};
constexpr Shape kReturnValues = Enumeration(kReturnValuesNames);
constexpr Shape kConsumedCapacity = Enumeration(kConsumedCapacityNames);
constexpr Shape kCollectionMetrics = Enumeration(kCollectionMetricsNames);
constexpr Shape kConditionFailure = Enumeration(kConditionFailureNames);
constexpr Shape kConditionalOperator = Enumeration(kConditionalOperatorNames);
constexpr Shape kComparison = Enumeration(kComparisonNames);
constexpr Shape kAction = Enumeration(kActionNames);
constexpr Shape kSelect = Enumeration(kSelectNames);

// Attribute values contain themselves, so these are written out instead of built.
constexpr Shape kTextList = ListOf(&kText);
constexpr Shape kBlobList = ListOf(&kBlob);
constexpr Shape kValueList = {.kind = Kind::kList, .element = &kAttributeValue};
constexpr Shape kValueMap = {.kind = Kind::kMap, .element = &kAttributeValue};
constexpr Member kAttributeValueMembers[] = {
    {"S", &kText},      {"N", &kText},      {"B", &kBlob},     {"SS", &kTextList},
    {"NS", &kTextList}, {"BS", &kBlobList}, {"M", &kValueMap}, {"L", &kValueList},
    {"NULL", &kFlag},   {"BOOL", &kFlag},
};

constexpr Shape kNames = MapOf(&kText);
constexpr Shape kAttributeName = Bounded(Kind::kString, kNoMin, 65535);
constexpr Shape kAttributeNames = ListOf(&kAttributeName, 1);

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

constexpr Member kConditionMembers[] = {
    {"AttributeValueList", &kValueList},
    {"ComparisonOperator", &kComparison, true},
};
constexpr Shape kCondition = Structure("Condition", kConditionMembers);
constexpr Shape kConditions = MapOf(&kCondition);

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

constexpr Member kGetItemMembers[] = {
    {"TableName", &kItemTableName, true},           {"Key", &kValueMap, true},
    {"AttributesToGet", &kAttributeNames},          {"ConsistentRead", &kFlag},
    {"ReturnConsumedCapacity", &kConsumedCapacity}, {"ProjectionExpression", &kText},
    {"ExpressionAttributeNames", &kNames},
};

constexpr Shape kLimit = Bounded(Kind::kInteger, 1);

constexpr Member kQueryMembers[] = {
    {"TableName", &kItemTableName, true},
    {"IndexName", &kItemIndexName},
    {"Select", &kSelect},
    {"AttributesToGet", &kAttributeNames},
    // Scan reports its Limit in the classic way; the two really differ.
    {"Limit", &kLimit, false, Report::kNewer},
    {"ConsistentRead", &kFlag},
    {"KeyConditions", &kConditions},
    {"QueryFilter", &kConditions},
    {"ConditionalOperator", &kConditionalOperator},
    {"ScanIndexForward", &kFlag},
    {"ExclusiveStartKey", &kValueMap},
    {"ReturnConsumedCapacity", &kConsumedCapacity},
    {"ProjectionExpression", &kText},
    {"FilterExpression", &kText},
    {"KeyConditionExpression", &kText},
    {"ExpressionAttributeNames", &kNames},
    {"ExpressionAttributeValues", &kValueMap},
};

constexpr Shape kTotalSegments = Bounded(Kind::kInteger, 1, 1000000);
constexpr Shape kSegment = Bounded(Kind::kInteger, 0, 999999);

constexpr Member kScanMembers[] = {
    {"TableName", &kItemTableName, true},
    {"IndexName", &kItemIndexName},
    {"AttributesToGet", &kAttributeNames},
    {"Limit", &kLimit},
    {"Select", &kSelect},
    {"ScanFilter", &kConditions},
    {"ConditionalOperator", &kConditionalOperator},
    {"ExclusiveStartKey", &kValueMap},
    {"ReturnConsumedCapacity", &kConsumedCapacity},
    {"TotalSegments", &kTotalSegments},
    {"Segment", &kSegment},
    {"ProjectionExpression", &kText},
    {"FilterExpression", &kText},
    {"ExpressionAttributeNames", &kNames},
    {"ExpressionAttributeValues", &kValueMap},
    {"ConsistentRead", &kFlag},
};

constexpr Shape kKeyList = {
    .kind = Kind::kList, .constrained = true, .min = 1, .max = 100, .element = &kValueMap};
constexpr Member kKeysAndAttributesMembers[] = {
    {"Keys", &kKeyList, true, Report::kNewer},
    {"AttributesToGet", &kAttributeNames},
    {"ConsistentRead", &kFlag},
    {"ProjectionExpression", &kText},
    {"ExpressionAttributeNames", &kNames},
};
constexpr Shape kKeysAndAttributes = Structure("KeysAndAttributes", kKeysAndAttributesMembers);
constexpr Shape kBatchGetMap = {.kind = Kind::kMap,
                                .constrained = true,
                                .max = 100,
                                .element = &kKeysAndAttributes,
                                .key = &kItemTableName};
constexpr Member kBatchGetItemMembers[] = {
    {"RequestItems", &kBatchGetMap, true, Report::kClassic,
     "The requestItems parameter is required for BatchGetItem"},
    {"ReturnConsumedCapacity", &kConsumedCapacity},
};

constexpr Member kPutRequestMembers[] = {{"Item", &kValueMap, true}};
constexpr Shape kPutRequest = Structure("PutRequest", kPutRequestMembers);
constexpr Member kDeleteRequestMembers[] = {{"Key", &kValueMap, true}};
constexpr Shape kDeleteRequest = Structure("DeleteRequest", kDeleteRequestMembers);
constexpr Member kWriteRequestMembers[] = {
    {"PutRequest", &kPutRequest},
    {"DeleteRequest", &kDeleteRequest},
};
constexpr Shape kWriteRequest = Structure("WriteRequest", kWriteRequestMembers);
constexpr Shape kWriteRequests = ListOf(&kWriteRequest, 1, 25);
constexpr Shape kBatchWriteMap = {.kind = Kind::kMap,
                                  .constrained = true,
                                  .min = 1,
                                  .max = 25,
                                  .element = &kWriteRequests,
                                  .key = &kItemTableName};
constexpr Member kBatchWriteItemMembers[] = {
    {"RequestItems", &kBatchWriteMap, true},
    {"ReturnConsumedCapacity", &kConsumedCapacity},
    {"ReturnItemCollectionMetrics", &kCollectionMetrics},
};

constexpr Member kGetMembers[] = {
    {"Key", &kValueMap, true},
    {"TableName", &kItemTableName, true},
    {"ProjectionExpression", &kText},
    {"ExpressionAttributeNames", &kNames},
};
constexpr Shape kGet = Structure("Get", kGetMembers);
constexpr Member kTransactGetMembers[] = {{"Get", &kGet, true}};
constexpr Shape kTransactGet = Structure("TransactGetItem", kTransactGetMembers);
constexpr Shape kTransactGets = ListOf(&kTransactGet, 1, 100);
constexpr Member kTransactGetItemsMembers[] = {
    {"TransactItems", &kTransactGets, true},
    {"ReturnConsumedCapacity", &kConsumedCapacity},
};

constexpr Member kTransactCheckMembers[] = {
    {"Key", &kValueMap, true},
    {"TableName", &kItemTableName, true},
    {"ConditionExpression", &kText, true},
    {"ExpressionAttributeNames", &kNames},
    {"ExpressionAttributeValues", &kValueMap},
    {"ReturnValuesOnConditionCheckFailure", &kConditionFailure},
};
constexpr Member kTransactPutMembers[] = {
    {"Item", &kValueMap, true},
    {"TableName", &kItemTableName, true},
    {"ConditionExpression", &kText},
    {"ExpressionAttributeNames", &kNames},
    {"ExpressionAttributeValues", &kValueMap},
    {"ReturnValuesOnConditionCheckFailure", &kConditionFailure},
};
constexpr Member kTransactDeleteMembers[] = {
    {"Key", &kValueMap, true},
    {"TableName", &kItemTableName, true},
    {"ConditionExpression", &kText},
    {"ExpressionAttributeNames", &kNames},
    {"ExpressionAttributeValues", &kValueMap},
    {"ReturnValuesOnConditionCheckFailure", &kConditionFailure},
};
constexpr Member kTransactUpdateMembers[] = {
    {"Key", &kValueMap, true},
    {"UpdateExpression", &kText, true},
    {"TableName", &kItemTableName, true},
    {"ConditionExpression", &kText},
    {"ExpressionAttributeNames", &kNames},
    {"ExpressionAttributeValues", &kValueMap},
    {"ReturnValuesOnConditionCheckFailure", &kConditionFailure},
};
constexpr Shape kTransactCheck = Structure("ConditionCheck", kTransactCheckMembers);
constexpr Shape kTransactPut = Structure("Put", kTransactPutMembers);
constexpr Shape kTransactDelete = Structure("Delete", kTransactDeleteMembers);
constexpr Shape kTransactUpdate = Structure("Update", kTransactUpdateMembers);
constexpr Member kTransactWriteMembers[] = {
    {"ConditionCheck", &kTransactCheck},
    {"Put", &kTransactPut},
    {"Delete", &kTransactDelete},
    {"Update", &kTransactUpdate},
};
constexpr Shape kTransactWrite = Structure("TransactWriteItem", kTransactWriteMembers);
constexpr Shape kTransactWrites = ListOf(&kTransactWrite, 1, 100);
constexpr Shape kToken = Bounded(Kind::kString, 1, 36);
constexpr Member kTransactWriteItemsMembers[] = {
    {"TransactItems", &kTransactWrites, true},
    {"ReturnConsumedCapacity", &kConsumedCapacity},
    {"ReturnItemCollectionMetrics", &kCollectionMetrics},
    {"ClientRequestToken", &kToken},
};

constexpr Shape UpdateItemShape() {
  Shape shape = Structure("UpdateItemInput", kUpdateItemMembers);
  shape.first_violation_only = true;
  return shape;
}

}  // namespace

constexpr Shape kAttributeValue = {
    .kind = Kind::kStructure, .name = "AttributeValue", .members = kAttributeValueMembers};
constexpr Shape kPutItem = Structure("PutItemInput", kPutItemMembers);
constexpr Shape kUpdateItem = UpdateItemShape();
constexpr Shape kDeleteItem = Structure("DeleteItemInput", kDeleteItemMembers);
constexpr Shape kGetItem = Structure("GetItemInput", kGetItemMembers);
constexpr Shape kQuery = Structure("QueryInput", kQueryMembers);
constexpr Shape kScan = Structure("ScanInput", kScanMembers);
constexpr Shape kBatchGetItem = Structure("BatchGetItemInput", kBatchGetItemMembers);
constexpr Shape kBatchWriteItem = Structure("BatchWriteItemInput", kBatchWriteItemMembers);
constexpr Shape kTransactGetItems = Structure("TransactGetItemsInput", kTransactGetItemsMembers);
constexpr Shape kTransactWriteItems =
    Structure("TransactWriteItemsInput", kTransactWriteItemsMembers);

}  // namespace monotable::api::dynamodb::shapes

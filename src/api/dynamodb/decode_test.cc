#include "api/dynamodb/codecs.h"
#include "api/dynamodb/codecs_for_tests.h"

namespace monotable::api::dynamodb {
namespace {

template <typename T>
std::string Message(const Result<T>& result) {
  return result ? "" : result.error().message();
}

auto PutItem(std::string_view text) {
  return Decode<DecodePutItem>(InputOf("PutItem"), text);
}
auto UpdateItem(std::string_view text) {
  return Decode<DecodeUpdateItem>(InputOf("UpdateItem"), text);
}
auto DeleteItem(std::string_view text) {
  return Decode<DecodeDeleteItem>(InputOf("DeleteItem"), text);
}
auto GetItem(std::string_view text) {
  return Decode<DecodeGetItem>(InputOf("GetItem"), text);
}
auto Query(std::string_view text) {
  return Decode<DecodeQuery>(InputOf("Query"), text);
}
auto Scan(std::string_view text) {
  return Decode<DecodeScan>(InputOf("Scan"), text);
}
auto BatchGet(std::string_view text) {
  return Decode<DecodeBatchGetItem>(InputOf("BatchGetItem"), text);
}
auto BatchWrite(std::string_view text) {
  return Decode<DecodeBatchWriteItem>(InputOf("BatchWriteItem"), text);
}
auto TransactGet(std::string_view text) {
  return Decode<DecodeTransactGetItems>(InputOf("TransactGetItems"), text);
}
auto TransactWrite(std::string_view text) {
  return Decode<DecodeTransactWriteItems>(InputOf("TransactWriteItems"), text);
}

TEST(DecodeTest, PutItem) {
  auto request = PutItem(
      R"({"TableName":"orders","Item":{"pk":{"S":"a"},"n":{"N":"1"}},
      "ConditionExpression":"c = :v","ExpressionAttributeNames":{"#p":"pk"},
      "ExpressionAttributeValues":{":v":{"S":"x"}},"ReturnValues":"ALL_OLD",
      "ReturnConsumedCapacity":"INDEXES","ReturnItemCollectionMetrics":"SIZE",
      "ReturnValuesOnConditionCheckFailure":"ALL_OLD"})");
  ASSERT_TRUE(request) << Message(request);
  EXPECT_EQ(request->table_name, "orders");
  EXPECT_EQ(request->item.Find("pk")->string(), "a");
  EXPECT_EQ(request->condition_expression, "c = :v");
  EXPECT_EQ(request->attributes.names->at("#p"), "pk");
  EXPECT_EQ(request->attributes.values->at(":v").string(), "x");
  EXPECT_EQ(request->return_values, operations::ReturnValues::kAllOld);
  EXPECT_EQ(request->return_consumed_capacity, operations::ReturnConsumedCapacity::kIndexes);
  EXPECT_TRUE(request->return_item_collection_metrics);
  EXPECT_TRUE(request->return_old_on_condition_failure);
  EXPECT_FALSE(request->expected);
}

TEST(DecodeTest, AbsentAndEmptyAttributesDiffer) {
  auto request = PutItem(R"({"TableName":"t","Item":{},"ExpressionAttributeNames":{}})");
  ASSERT_TRUE(request);
  ASSERT_TRUE(request->attributes.names);
  EXPECT_TRUE(request->attributes.names->empty());
  EXPECT_FALSE(request->attributes.values);
}

TEST(DecodeTest, LegacyParametersOfWrites) {
  auto request = UpdateItem(
      R"({"TableName":"t","Key":{"pk":{"S":"a"}},"AttributeUpdates":{
      "a":{"Value":{"N":"1"},"Action":"ADD"},"b":{"Action":"DELETE"},"c":{"Value":{"S":"x"}}},
      "Expected":{"d":{"Value":{"S":"y"}},"e":{"Exists":false},
      "f":{"ComparisonOperator":"BETWEEN","AttributeValueList":[{"N":"1"},{"N":"2"}]}},
      "ConditionalOperator":"OR","ReturnValues":"UPDATED_NEW"})");
  ASSERT_TRUE(request) << Message(request);
  const auto& updates = *request->attribute_updates;
  EXPECT_EQ(updates.at("a").action, expression::LegacyAction::kAdd);
  EXPECT_EQ(updates.at("b").action, expression::LegacyAction::kDelete);
  EXPECT_FALSE(updates.at("b").value);
  EXPECT_EQ(updates.at("c").action, expression::LegacyAction::kPut);
  const auto& expected = *request->expected;
  EXPECT_EQ(expected.at("d").value->string(), "y");
  EXPECT_EQ(expected.at("e").exists, false);
  EXPECT_EQ(expected.at("f").comparison, expression::ComparisonOperator::kBetween);
  EXPECT_EQ(expected.at("f").values->size(), 2u);
  EXPECT_EQ(request->conditional_operator, expression::ConditionalOperator::kOr);
  EXPECT_EQ(request->return_values, operations::ReturnValues::kUpdatedNew);
}

TEST(DecodeTest, RefusesToMixExpressionsWithWhatTheyReplaced) {
  // Before the values are looked at, which are wrong here.
  EXPECT_EQ(Message(PutItem(R"({"TableName":"t","Item":{"a":{}},"Expected":{},
                            "ConditionExpression":"x","ConditionalOperator":"AND"})")),
            "Can not use both expression and non-expression parameters in the same request: "
            "Non-expression parameters: {Expected, ConditionalOperator} Expression parameters: "
            "{ConditionExpression}");
  EXPECT_EQ(Message(UpdateItem(R"({"TableName":"t","Key":{},"AttributeUpdates":{},
                               "UpdateExpression":"x"})")),
            "Can not use both expression and non-expression parameters in the same request: "
            "Non-expression parameters: {AttributeUpdates} Expression parameters: "
            "{UpdateExpression}");
  EXPECT_EQ(Message(GetItem(R"({"TableName":"t","Key":{},"AttributesToGet":["a"],
                            "ProjectionExpression":"a"})")),
            "Can not use both expression and non-expression parameters in the same request: "
            "Non-expression parameters: {AttributesToGet} Expression parameters: "
            "{ProjectionExpression}");
  EXPECT_EQ(Message(Query(R"({"TableName":"t","KeyConditions":{},"FilterExpression":"a"})")),
            "Can not use both expression and non-expression parameters in the same request: "
            "Non-expression parameters: {KeyConditions} Expression parameters: "
            "{FilterExpression}");
}

TEST(DecodeTest, PutAndDeleteReturnOnlyOldValues) {
  constexpr std::string_view kMessage = "ReturnValues can only be ALL_OLD or NONE";
  EXPECT_EQ(Message(PutItem(R"({"TableName":"t","Item":{},"ReturnValues":"ALL_NEW"})")), kMessage);
  EXPECT_EQ(Message(DeleteItem(R"({"TableName":"t","Key":{},"ReturnValues":"UPDATED_OLD"})")),
            kMessage);
  EXPECT_EQ(Message(DeleteItem(R"({"TableName":"t","Key":{},"ReturnValues":"NONE"})")), "");
}

TEST(DecodeTest, SaysWhichExpressionValueIsInvalid) {
  EXPECT_EQ(Message(DeleteItem(R"({"TableName":"t","Key":{},"ConditionExpression":"x",
                               "ExpressionAttributeValues":{":v":{"SS":[]}}})")),
            "ExpressionAttributeValues contains invalid value: One or more parameter values were "
            "invalid: An string set  may not be empty for key :v");
  EXPECT_EQ(Message(DeleteItem(R"({"TableName":"t","Key":{},"ConditionExpression":"x",
                               "ExpressionAttributeValues":{":v":{"N":"x"}}})")),
            "ExpressionAttributeValues contains invalid value: The parameter cannot be converted "
            "to a numeric value: x for key :v");
}

TEST(DecodeTest, ChecksExpressionValuesBeforeTheItem) {
  EXPECT_EQ(Message(PutItem(R"({"TableName":"t","Item":{"pk":{"N":"x"}},"ConditionExpression":"x",
                            "ExpressionAttributeValues":{":v":{"N":"y"}}})")),
            "ExpressionAttributeValues contains invalid value: The parameter cannot be converted "
            "to a numeric value: y for key :v");
}

TEST(DecodeTest, SaysThatTheStartKeyIsInvalid) {
  constexpr std::string_view kMessage =
      "The provided starting key is invalid: The parameter cannot be converted to a numeric "
      "value: x";
  EXPECT_EQ(Message(Scan(R"({"TableName":"t","ExclusiveStartKey":{"pk":{"N":"x"}}})")), kMessage);
  EXPECT_EQ(Message(Query(R"({"TableName":"t","ExclusiveStartKey":{"pk":{"N":"x"}}})")), kMessage);
  EXPECT_EQ(Message(Scan(R"({"TableName":"t","ExclusiveStartKey":{"pk":{"B":"abc"}}})")),
            "Base64 encoded length is expected a multiple of 4 bytes but found: 3");
}

TEST(DecodeTest, GetItem) {
  auto request = GetItem(R"({"TableName":"t","Key":{"pk":{"S":"a"}},"ConsistentRead":true,
                         "ProjectionExpression":"a,#b","ExpressionAttributeNames":{"#b":"b"},
                         "ReturnConsumedCapacity":"TOTAL"})");
  ASSERT_TRUE(request) << Message(request);
  EXPECT_TRUE(request->consistent_read);
  EXPECT_EQ(request->projection_expression, "a,#b");
  EXPECT_EQ(request->return_consumed_capacity, operations::ReturnConsumedCapacity::kTotal);
  // Reads by key have no values in expressions; as every parameter that is not theirs, it is
  // ignored.
  auto values = GetItem(R"({"TableName":"t","Key":{},"ExpressionAttributeValues":{":v":{}}})");
  ASSERT_TRUE(values) << Message(values);
  EXPECT_FALSE(values->attributes.values);
  auto legacy = GetItem(R"({"TableName":"t","Key":{},"AttributesToGet":["a","b"]})");
  ASSERT_TRUE(legacy);
  EXPECT_EQ(*legacy->attributes_to_get, (std::vector<std::string>{"a", "b"}));
}

TEST(DecodeTest, Query) {
  auto request = Query(
      R"({"TableName":"t","IndexName":"gsi1","KeyConditionExpression":"pk = :p","Select":"COUNT",
      "FilterExpression":"a = :a","ExpressionAttributeValues":{":p":{"S":"x"},":a":{"N":"1"}},
      "Limit":5,"ScanIndexForward":false,"ExclusiveStartKey":{"pk":{"S":"x"}}})");
  ASSERT_TRUE(request) << Message(request);
  EXPECT_EQ(request->index_name, "gsi1");
  EXPECT_EQ(request->select, operations::Select::kCount);
  EXPECT_EQ(request->limit, 5);
  EXPECT_FALSE(request->scan_index_forward);
  EXPECT_EQ(request->exclusive_start_key->Find("pk")->string(), "x");
  auto legacy = Query(R"({"TableName":"t","KeyConditions":{"pk":{"ComparisonOperator":"EQ",
                      "AttributeValueList":[{"S":"x"}]}},
                      "QueryFilter":{"a":{"ComparisonOperator":"NULL"}}})");
  ASSERT_TRUE(legacy) << Message(legacy);
  EXPECT_TRUE(legacy->scan_index_forward);
  EXPECT_EQ(legacy->key_conditions->at("pk").values.size(), 1u);
  EXPECT_EQ(legacy->query_filter->at("a").comparison, expression::ComparisonOperator::kNull);
}

TEST(DecodeTest, Scan) {
  auto request = Scan(R"({"TableName":"t","Segment":1,"TotalSegments":4,"ConsistentRead":true,
                      "ScanFilter":{"a":{"ComparisonOperator":"GT",
                      "AttributeValueList":[{"N":"1"}]}}})");
  ASSERT_TRUE(request) << Message(request);
  EXPECT_EQ(request->segment, 1);
  EXPECT_EQ(request->total_segments, 4);
  EXPECT_TRUE(request->consistent_read);
  EXPECT_EQ(request->scan_filter->size(), 1u);
}

TEST(DecodeTest, BatchGetItem) {
  auto request = BatchGet(R"({"RequestItems":{"b":{"Keys":[{"pk":{"S":"1"}},{"pk":{"S":"2"}}],
                          "ConsistentRead":true},"a":{"Keys":[{"pk":{"S":"3"}}],
                          "AttributesToGet":["x"]}}})");
  ASSERT_TRUE(request) << Message(request);
  ASSERT_EQ(request->tables.size(), 2u);
  EXPECT_EQ(request->tables[0].first, "b");
  EXPECT_EQ(request->tables[0].second.keys.size(), 2u);
  EXPECT_TRUE(request->tables[0].second.consistent_read);
  EXPECT_EQ(request->tables[1].second.attributes_to_get->at(0), "x");
  EXPECT_EQ(Message(BatchGet(R"({"RequestItems":{}})")),
            "The requestItems parameter is required for BatchGetItem");
}

TEST(DecodeTest, BatchesLimitTheirItemsOverAllTables) {
  const auto repeated = [](std::string_view element, int count) {
    std::string list;
    for (int i = 0; i < count; ++i) list.append(i > 0 ? "," : "").append(element);
    return list;
  };
  EXPECT_EQ(Message(BatchGet(R"({"RequestItems":{"aaa":{"Keys":[)" + repeated("{}", 60) +
                             R"(]},"bbb":{"Keys":[)" + repeated("{}", 41) + "]}}}")),
            "Too many items requested for the BatchGetItem call");
  const std::string writes = repeated(R"({"DeleteRequest":{"Key":{}}})", 13);
  EXPECT_EQ(
      Message(BatchWrite(R"({"RequestItems":{"aaa":[)" + writes + R"(],"bbb":[)" + writes + "]}}")),
      "Too many items requested for the BatchWriteItem call");
}

TEST(DecodeTest, BatchWriteItem) {
  auto request = BatchWrite(R"({"RequestItems":{"t":[{"PutRequest":{"Item":{"pk":{"S":"1"}}}},
                            {"DeleteRequest":{"Key":{"pk":{"S":"2"}}}}]}})");
  ASSERT_TRUE(request) << Message(request);
  const auto& writes = request->tables.at(0).second;
  ASSERT_EQ(writes.size(), 2u);
  EXPECT_FALSE(writes[0].is_delete);
  EXPECT_TRUE(writes[1].is_delete);
  EXPECT_EQ(writes[1].item.Find("pk")->string(), "2");
  EXPECT_EQ(Message(BatchWrite(R"({"RequestItems":{"t":[{}]}})")),
            "Supplied AttributeValue is empty, must contain exactly one of the supported "
            "datatypes");
  EXPECT_EQ(Message(BatchWrite(R"({"RequestItems":{"t":[{"PutRequest":{"Item":{}},
                               "DeleteRequest":{"Key":{}}}]}})")),
            "Supplied AttributeValue has more than one datatypes set, must contain exactly one of "
            "the supported datatypes");
}

TEST(DecodeTest, TransactGetItems) {
  auto request = TransactGet(R"({"TransactItems":[{"Get":{"TableName":"t","Key":{"pk":{"S":"1"}},
                             "ProjectionExpression":"a"}}],"ReturnConsumedCapacity":"TOTAL"})");
  ASSERT_TRUE(request) << Message(request);
  ASSERT_EQ(request->gets.size(), 1u);
  EXPECT_EQ(request->gets[0].projection_expression, "a");
}

constexpr std::string_view kTransaction =
    R"({"TransactItems":[
    {"ConditionCheck":{"TableName":"t","Key":{"pk":{"S":"1"}},"ConditionExpression":"c"}},
    {"Put":{"TableName":"t","Item":{"pk":{"S":"2"},"n":{"N":"1.0"}}}},
    {"Delete":{"TableName":"t","Key":{"pk":{"S":"3"}}}},
    {"Update":{"TableName":"t","Key":{"pk":{"S":"4"}},"UpdateExpression":"SET a = :a",
    "ExpressionAttributeValues":{":a":{"SS":["x","y"]}},
    "ReturnValuesOnConditionCheckFailure":"ALL_OLD"}}],"ClientRequestToken":"token"})";

TEST(DecodeTest, TransactWriteItems) {
  auto request = TransactWrite(kTransaction);
  ASSERT_TRUE(request) << Message(request);
  ASSERT_EQ(request->writes.size(), 4u);
  EXPECT_EQ(request->writes[0].action, operations::TransactAction::kConditionCheck);
  EXPECT_EQ(request->writes[1].action, operations::TransactAction::kPut);
  EXPECT_EQ(request->writes[1].item.size(), 2u);
  EXPECT_EQ(request->writes[2].action, operations::TransactAction::kDelete);
  EXPECT_EQ(request->writes[3].update_expression, "SET a = :a");
  EXPECT_TRUE(request->writes[3].return_old_on_condition_failure);
  EXPECT_EQ(request->client_request_token, "token");
  EXPECT_EQ(request->fingerprint.size(), 16u);
  constexpr std::string_view kOne =
      "TransactItems can only contain one of Check, Put, Update or Delete";
  EXPECT_EQ(Message(TransactWrite(R"({"TransactItems":[{}]})")), kOne);
  EXPECT_EQ(Message(TransactWrite(R"({"TransactItems":[{"Put":{"TableName":"t","Item":{}},
                                  "Delete":{"TableName":"t","Key":{}}}]})")),
            kOne);
}

// The same request written differently has the same fingerprint; any other request has not.
TEST(DecodeTest, FingerprintsWhatATransactionAsksFor) {
  const auto fingerprint = [](std::string_view from = "", std::string_view to = "") {
    std::string text(kTransaction);
    if (!from.empty()) {
      EXPECT_NE(text.find(from), std::string::npos) << from;
      text.replace(text.find(from), from.size(), to);
    }
    auto request = TransactWrite(text);
    EXPECT_TRUE(request) << Message(request);
    return request ? request->fingerprint : "";
  };
  const std::string original = fingerprint();
  EXPECT_EQ(fingerprint(R"("token")", R"("other")"), original);
  EXPECT_EQ(fingerprint(R"(["x","y"])", R"(["y","x"])"), original);
  EXPECT_EQ(fingerprint(R"("1.0")", R"("1")"), original);
  EXPECT_NE(fingerprint(R"("1.0")", R"("2")"), original);
  EXPECT_NE(fingerprint(R"("ConditionExpression":"c")", R"("ConditionExpression":"d")"), original);
  EXPECT_NE(fingerprint("SET a", "SET b"), original);
  EXPECT_NE(fingerprint(R"(["x","y"])", R"(["x","z"])"), original);
  EXPECT_NE(fingerprint(R"("Delete":{"TableName":"t")", R"("Delete":{"TableName":"u")"), original);
  EXPECT_NE(fingerprint("ALL_OLD", "NONE"), original);
}

}  // namespace
}  // namespace monotable::api::dynamodb

#include "wire/constraint_check.h"

#include "api/dynamodb/codecs_for_tests.h"

namespace monotable::api::dynamodb {
namespace {

// The message for a request, or "" if it keeps its constraints.
std::string Refusal(const Shape& shape, std::string_view text) {
  const Document document(text);
  const Status status = wire::CheckConstraints(shape, document.object());
  if (status) return "";
  EXPECT_EQ(status.error().code(), ErrorCode::kValidation) << text;
  return status.error().message();
}

std::string One(std::string_view violation) {
  return std::string("1 validation error detected: ").append(violation);
}

TEST(ConstraintCheckTest, AcceptsNamesAndArns) {
  EXPECT_EQ(Refusal(InputOf("GetItem"), R"({"TableName":"a","Key":{}})"), "");
  EXPECT_EQ(Refusal(InputOf("GetItem"), R"({"TableName":"Az09_.-","Key":{}})"), "");
  const std::string arn = "arn:aws:dynamodb:us-east-1:000000000000:table/" + std::string(255, 'x');
  EXPECT_EQ(Refusal(InputOf("GetItem"), R"({"TableName":")" + arn + R"(","Key":{}})"), "");
}

TEST(ConstraintCheckTest, RefusesTableNames) {
  EXPECT_EQ(Refusal(InputOf("PutItem"), R"({"Item":{}})"),
            One("Value null at 'tableName' failed to satisfy constraint: Member must not be null"));
  EXPECT_EQ(Refusal(InputOf("PutItem"), R"({"TableName":null,"Item":{}})"),
            One("Value null at 'tableName' failed to satisfy constraint: Member must not be null"));
  EXPECT_EQ(Refusal(InputOf("PutItem"), R"({"TableName":"","Item":{}})"),
            One("Value '' at 'tableName' failed to satisfy constraint: Member must have length "
                "greater than or equal to 1"));
  EXPECT_EQ(Refusal(InputOf("PutItem"), R"({"TableName":"a;b","Item":{}})"),
            One("Value 'a;b' at 'tableName' failed to satisfy constraint: Member must satisfy "
                "regular expression pattern: [a-zA-Z0-9_.-]+"));
  const std::string longest(256, 'a');
  EXPECT_EQ(Refusal(InputOf("PutItem"), R"({"Item":{},"TableName":")" + longest + "\"}"),
            One("Value '" + longest +
                "' at 'tableName' failed to satisfy constraint: Member must have length less than "
                "or equal to 255"));
}

// Operations on tables report the length of a name first, ListTables its pattern.
TEST(ConstraintCheckTest, ReportsAllThatIsWrongWithAName) {
  const std::string length =
      "failed to satisfy constraint: Member must have length greater than or equal to 3";
  const std::string pattern =
      "failed to satisfy constraint: Member must satisfy regular expression pattern: "
      "[a-zA-Z0-9_.-]+";
  EXPECT_EQ(Refusal(InputOf("DescribeTable"), R"({"TableName":""})"),
            "2 validation errors detected: Value '' at 'tableName' " + length +
                "; Value '' at 'tableName' " + pattern);
  EXPECT_EQ(Refusal(InputOf("ListTables"), R"({"ExclusiveStartTableName":""})"),
            "2 validation errors detected: Value '' at 'exclusiveStartTableName' " + pattern +
                "; Value '' at 'exclusiveStartTableName' " + length);
}

TEST(ConstraintCheckTest, CreateTableHasItsOwnWords) {
  EXPECT_EQ(Refusal(InputOf("CreateTable"), "{}"),
            "The parameter 'TableName' is required but was not present in the request");
  EXPECT_EQ(Refusal(InputOf("CreateTable"), R"({"TableName":"ab"})"),
            One("Value 'ab' at 'tableName' failed to satisfy constraint: Member must have length "
                "greater than or equal to 3"));
}

TEST(ConstraintCheckTest, NamesThePathWithinListsAndEnumerationsInTheOrderOfTheService) {
  EXPECT_EQ(
      Refusal(InputOf("CreateTable"),
              R"({"TableName":"abc","KeySchema":[{"AttributeName":"a","KeyType":"INVALID"}]})"),
      One("Value 'INVALID' at 'keySchema.1.member.keyType' failed to satisfy constraint: "
          "Member must satisfy enum value set: [HASH, RANGE]"));
  EXPECT_EQ(
      Refusal(
          InputOf("CreateTable"),
          R"({"TableName":"abc","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"},
              {"AttributeName":"b","AttributeType":"X"}]})"),
      One("Value 'X' at 'attributeDefinitions.2.member.attributeType' failed to satisfy "
          "constraint: Member must satisfy enum value set: [B, N, S]"));
  EXPECT_EQ(Refusal(InputOf("Query"), R"({"TableName":"abc","Select":"X"})"),
            One("Value 'X' at 'select' failed to satisfy constraint: Member must satisfy enum "
                "value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, "
                "ALL_PROJECTED_ATTRIBUTES]"));
  EXPECT_EQ(Refusal(InputOf("Query"),
                    R"({"TableName":"abc","KeyConditions":{"pk":{"ComparisonOperator":"X"}}})"),
            One("Value 'X' at 'keyConditions.pk.member.comparisonOperator' failed to satisfy "
                "constraint: Member must satisfy enum value set: [IN, NULL, BETWEEN, LT, "
                "NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS]"));
}

TEST(ConstraintCheckTest, QueryAndScanReportTheirLimitDifferently) {
  EXPECT_EQ(Refusal(InputOf("Query"), R"({"TableName":"abc","Limit":0})"),
            One("Value at 'Limit' failed to satisfy constraint: Member must have value greater "
                "than or equal to 1"));
  EXPECT_EQ(Refusal(InputOf("Scan"), R"({"TableName":"abc","Limit":0})"),
            One("Value '0' at 'limit' failed to satisfy constraint: Member must have value greater "
                "than or equal to 1"));
}

TEST(ConstraintCheckTest, ListsAllViolationsButUpdateItemOnlyTheFirst) {
  constexpr std::string_view kRequest =
      R"({"TableName":"","Key":{},"Item":{},"ReturnValues":"X","ReturnConsumedCapacity":"Y"})";
  EXPECT_EQ(Refusal(InputOf("PutItem"), kRequest),
            "3 validation errors detected: Value '' at 'tableName' failed to satisfy constraint: "
            "Member must have length greater than or equal to 1; Value 'X' at 'returnValues' "
            "failed to satisfy constraint: Member must satisfy enum value set: [ALL_NEW, "
            "UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]; Value 'Y' at 'returnConsumedCapacity' "
            "failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, "
            "NONE]");
  EXPECT_EQ(Refusal(InputOf("UpdateItem"), kRequest),
            One("Value '' at 'tableName' failed to satisfy constraint: Member must have length "
                "greater than or equal to 1"));
}

TEST(ConstraintCheckTest, StopsAtTenViolations) {
  std::string schema;
  for (int i = 0; i < 20; ++i) schema += std::string(i > 0 ? "," : "") + R"({"KeyType":"HASH"})";
  const std::string message =
      Refusal(InputOf("CreateTable"), R"({"TableName":"abc","KeySchema":[)" + schema + "]}");
  EXPECT_TRUE(message.starts_with("10 validation errors detected: ")) << message;
  EXPECT_NE(message.find("'keySchema.10.member.attributeName'"), std::string::npos);
  EXPECT_EQ(message.find("'keySchema.11.member.attributeName'"), std::string::npos);
}

TEST(ConstraintCheckTest, BatchWriteReportsTheWholeMap) {
  std::string writes;
  for (int i = 0; i < 26; ++i) writes += std::string(i > 0 ? "," : "") + "{}";
  const std::string message =
      Refusal(InputOf("BatchWriteItem"), R"({"RequestItems":{"abc":[)" + writes + "]}}");
  EXPECT_TRUE(message.starts_with("1 validation error detected: Value '{abc=[WriteRequest(), "))
      << message;
  EXPECT_TRUE(message.ends_with(
      "' at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: "
      "[Member must have length less than or equal to 25, Member must have length greater than or "
      "equal to 1]"))
      << message;
  EXPECT_EQ(Refusal(InputOf("BatchWriteItem"), R"({"RequestItems":{}})"),
            One("Value '{}' at 'requestItems' failed to satisfy constraint: Member must have "
                "length greater than or equal to 1"));
  EXPECT_EQ(Refusal(InputOf("BatchWriteItem"), R"({"RequestItems":{"abc":[{"PutRequest":{}}]}})"),
            One("Value null at 'requestItems.abc.member.1.member.putRequest.item' failed to "
                "satisfy constraint: Member must not be null"));
}

TEST(ConstraintCheckTest, BatchGetReportsInTheNewerWay) {
  std::string keys;
  for (int i = 0; i < 101; ++i) keys += std::string(i > 0 ? "," : "") + "{}";
  EXPECT_EQ(
      Refusal(InputOf("BatchGetItem"), R"({"RequestItems":{"T":{"Keys":[)" + keys + "]}}}"),
      One("Value at 'RequestItems.T.member.Keys' failed to satisfy constraint: Member must have "
          "length less than or equal to 100"));
  EXPECT_EQ(Refusal(InputOf("BatchGetItem"), "{}"),
            "The requestItems parameter is required for BatchGetItem");
}

TEST(ConstraintCheckTest, ReportsTheElementsOfListsOnTheList) {
  EXPECT_EQ(
      Refusal(InputOf("CreateTable"),
              R"({"TableName":"abc","LocalSecondaryIndexes":[{"IndexName":"abc",
              "KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],
              "Projection":{"NonKeyAttributes":["ok",""]}}]})"),
      One("Value '[ok, ]' at 'localSecondaryIndexes.1.member.projection.nonKeyAttributes' failed "
          "to satisfy constraint: Member must satisfy constraint: [Member must have length less "
          "than or equal to 255, Member must have length greater than or equal to 1]"));
  EXPECT_EQ(Refusal(InputOf("TransactWriteItems"), R"({"TransactItems":[null]})"),
            One("Value null at 'transactItems.1.member' failed to satisfy constraint: Member must "
                "not be null"));
  EXPECT_EQ(Refusal(InputOf("TransactWriteItems"), R"({"TransactItems":[]})"),
            One("Value '[]' at 'transactItems' failed to satisfy constraint: Member must have "
                "length greater than or equal to 1"));
}

TEST(ConstraintCheckTest, CountsCharactersAsJavaDoes) {
  std::string accents;
  for (int i = 0; i < 36; ++i) accents += "ç";  // two bytes, one character
  const std::string request = R"({"TransactItems":[{}],"ClientRequestToken":")" + accents;
  EXPECT_EQ(Refusal(InputOf("TransactWriteItems"), request + "\"}"), "");
  EXPECT_NE(Refusal(InputOf("TransactWriteItems"), request + "x\"}"), "");
}

TEST(ConstraintCheckTest, DoesNotRepeatAWholeRequest) {
  const std::string message =
      Refusal(InputOf("PutItem"), R"({"Item":{},"TableName":")" + std::string(100000, 'a') + "\"}");
  EXPECT_LT(message.size(), 4096u);
  EXPECT_NE(message.find("aaa..."), std::string::npos);
}

}  // namespace
}  // namespace monotable::api::dynamodb

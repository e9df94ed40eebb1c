#include "wire/type_check.h"

#include "api/dynamodb/codecs_for_tests.h"

namespace monotable::api::dynamodb {
namespace {

// The message for a request, or "" if its types are right.
std::string TypeRefusal(const Shape& shape, std::string_view text) {
  const Document document(text);
  const Status status = wire::CheckTypes(shape, document.root());
  if (status) return "";
  EXPECT_EQ(status.error().code(), ErrorCode::kSerialization) << text;
  return status.error().message();
}

TEST(TypeCheckTest, AcceptsEveryTypeOfAttributeValue) {
  EXPECT_EQ(TypeRefusal(InputOf("PutItem"),
                        R"({"TableName":"t","Item":{"s":{"S":"x"},"n":{"N":"1"},"b":{"B":"AA=="},
                    "ss":{"SS":["a"]},"ns":{"NS":["1"]},"bs":{"BS":["AA=="]},
                    "m":{"M":{"k":{"S":""}}},
                    "l":{"L":[{"NULL":true}]},"z":{"NULL":true},"t":{"BOOL":false}}})"),
            "");
}

TEST(TypeCheckTest, NullFitsEverythingAndUnknownMembersAreIgnored) {
  EXPECT_EQ(TypeRefusal(InputOf("Query"), R"({"TableName":null,"Limit":null,"KeyConditions":null,
                    "ScanIndexForward":null,"Unknown":{"a":[1]},"tableName":5})"),
            "");
}

struct Case {
  const Shape* shape;
  std::string_view text;
  std::string_view message;
};

TEST(TypeCheckTest, RefusesInTheWordsOfTheService) {
  constexpr std::string_view kStart = "Start of structure or map found where not expected.";
  const Case cases[] = {
      {&InputOf("GetItem"), R"({"TableName":1})", "NUMBER_VALUE cannot be converted to String"},
      {&InputOf("GetItem"), R"({"TableName":1.5})", "DECIMAL_VALUE cannot be converted to String"},
      {&InputOf("GetItem"), R"({"TableName":true})", "TRUE_VALUE cannot be converted to String"},
      {&InputOf("GetItem"), R"({"TableName":false})", "FALSE_VALUE cannot be converted to String"},
      {&InputOf("GetItem"), R"({"TableName":{}})", kStart},
      {&InputOf("GetItem"), R"({"TableName":[]})",
       "Unrecognized collection type class java.lang.String"},
      {&InputOf("GetItem"), R"({"ConsistentRead":"true"})",
       "Unexpected token received from parser"},
      {&InputOf("GetItem"), R"({"ConsistentRead":1})",
       "NUMBER_VALUE cannot be converted to Boolean"},
      {&InputOf("GetItem"), R"({"ConsistentRead":[]})",
       "Unrecognized collection type class java.lang.Boolean"},
      {&InputOf("Scan"), R"({"Limit":"1"})", "STRING_VALUE cannot be converted to Integer"},
      {&InputOf("Scan"), R"({"Limit":true})", "TRUE_VALUE cannot be converted to Integer"},
      {&InputOf("CreateTable"), R"({"ProvisionedThroughput":{"ReadCapacityUnits":"1"}})",
       "STRING_VALUE cannot be converted to Long"},
      {&InputOf("CreateTable"), R"({"ProvisionedThroughput":"x"})",
       "Unexpected value type in payload"},
      {&InputOf("CreateTable"), R"({"ProvisionedThroughput":[]})",
       "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.ProvisionedThroughput"},
      {&InputOf("CreateTable"), R"({"KeySchema":"x"})", "Unexpected field type"},
      {&InputOf("CreateTable"), R"({"KeySchema":{}})", kStart},
      {&InputOf("GetItem"), R"({"Key":"x"})", "Unexpected field type"},
      {&InputOf("GetItem"), R"({"Key":[]})",
       "Unrecognized collection type java.util.Map<java.lang.String, "
       "com.amazonaws.dynamodb.v20120810.AttributeValue>"},
      {&InputOf("GetItem"), R"({"Key":{"a":"x"}})", "Unexpected value type in payload"},
      {&InputOf("GetItem"), R"({"Key":{"a":[]}})",
       "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue"},
      {&InputOf("GetItem"), R"({"Key":{"a":{"S":1}}})",
       "NUMBER_VALUE cannot be converted to String"},
      {&InputOf("GetItem"), R"({"Key":{"a":{"N":5}}})",
       "NUMBER_VALUE cannot be converted to String"},
      {&InputOf("GetItem"), R"({"Key":{"a":{"B":5}}})",
       "only base64-encoded strings are convertible to bytes"},
      {&InputOf("GetItem"), R"({"Key":{"a":{"L":[{"M":{"k":{"SS":[true]}}}]}}})",
       "TRUE_VALUE cannot be converted to String"},
  };
  for (const Case& test : cases) EXPECT_EQ(TypeRefusal(*test.shape, test.text), test.message);
}

TEST(TypeCheckTest, ReportsTheFirstInTheOrderOfTheDocument) {
  EXPECT_EQ(TypeRefusal(InputOf("Scan"), R"({"Limit":"1","TableName":1})"),
            "STRING_VALUE cannot be converted to Integer");
  EXPECT_EQ(TypeRefusal(InputOf("Scan"), R"({"TableName":1,"Limit":"1"})"),
            "NUMBER_VALUE cannot be converted to String");
}

}  // namespace
}  // namespace monotable::api::dynamodb

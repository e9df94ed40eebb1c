#include "model/cloudformation/cloudformation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/parse.h"
#include "model/cloudformation/names.h"
#include "model/shop_for_tests.h"

namespace monotable::model {
namespace {

using testing::HasSubstr;
using testing::Not;

// A template without the white space, once it is known to be JSON.
std::string Compact(const Model& model, std::string_view environment = "") {
  const auto text = ToCloudFormation(model, environment);
  if (!text) {
    ADD_FAILURE() << text.error().message();
    return "";
  }
  std::string padded = *text + std::string(json::kPadding, ' ');
  json::Parser parser;
  const auto parsed = parser.Parse(std::string_view(padded).substr(0, text->size()));
  EXPECT_TRUE(parsed) << *text;
  return parsed ? json::Minify(*parsed) : "";
}

TEST(CloudFormationTest, HasTheTableWithItsIndexes) {
  const std::string text = Compact(LoadForTest());
  EXPECT_THAT(text, HasSubstr(R"("ShopTable":{"Type":"AWS::DynamoDB::Table")"));
  EXPECT_THAT(text, HasSubstr(R"("TableName":{"Fn::Sub":"${TableName}_${Environment}"})"));
  EXPECT_THAT(text, HasSubstr(R"("BillingMode":"PAY_PER_REQUEST")"));
  EXPECT_THAT(text, HasSubstr(R"({"AttributeName":"GSI3SK","AttributeType":"S"}])"));
  EXPECT_THAT(text, HasSubstr(R"({"IndexName":"GSI2","KeySchema":[{"AttributeName":"GSI2PK",)"
                              R"("KeyType":"HASH"},{"AttributeName":"GSI2SK","KeyType":"RANGE"}],)"
                              R"("Projection":{"ProjectionType":"KEYS_ONLY"}})"));
  EXPECT_THAT(text,
              HasSubstr(R"("TimeToLiveSpecification":{"AttributeName":"ttl","Enabled":true})"));
  EXPECT_THAT(text, HasSubstr(R"("StreamSpecification":{"StreamViewType":"NEW_AND_OLD_IMAGES"})"));
  EXPECT_THAT(text, HasSubstr(R"("SSESpecification":{"SSEEnabled":true,"SSEType":"KMS",)"
                              R"("KMSMasterKeyId":"alias/shop"})"));
}

TEST(CloudFormationTest, LeavesEnvironmentsToAParameter) {
  const std::string text = Compact(LoadForTest());
  EXPECT_THAT(text, HasSubstr(R"("Environment":{"Type":"String","Default":"dev",)"
                              R"("AllowedValues":["dev","staging","prod"])"));
  EXPECT_THAT(text, HasSubstr(R"("EnablePITR":{"Type":"String","Default":"false",)"
                              R"("AllowedValues":["true","false"]})"));
  EXPECT_THAT(text, HasSubstr(R"("PitrEnabled":{"Fn::Or":[)"
                              R"({"Fn::Equals":[{"Ref":"Environment"},"staging"]},)"
                              R"({"Fn::Equals":[{"Ref":"Environment"},"prod"]},)"
                              R"({"Fn::Equals":[{"Ref":"EnablePITR"},"true"]}]})"));
  EXPECT_THAT(text,
              HasSubstr(R"("DeletionProtected":{"Fn::Equals":[{"Ref":"Environment"},"prod"]})"));
  EXPECT_THAT(text, HasSubstr(R"("DeletionProtectionEnabled":{"Fn::If":["DeletionProtected",true,)"
                              R"(false]})"));
  // The environments keep their recovery for different times.
  EXPECT_THAT(text,
              HasSubstr(R"("Environments":{"dev":{"PitrDays":35},"staging":{"PitrDays":7},)"));
  EXPECT_THAT(text, HasSubstr(R"("RecoveryPeriodInDays":{"Fn::FindInMap":["Environments",)"
                              R"({"Ref":"Environment"},"PitrDays"]})"));
  EXPECT_THAT(text, HasSubstr("Daily backups of prod at 03:00Z, kept 35 days: use AWS Backup."));
}

TEST(CloudFormationTest, IsForOneEnvironmentIfAsked) {
  const std::string prod = Compact(LoadForTest(), "prod");
  EXPECT_THAT(prod, HasSubstr(R"("TableName":{"Fn::Sub":"${TableName}_prod"})"));
  EXPECT_THAT(prod, HasSubstr(R"("PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":)"
                              R"(true,"RecoveryPeriodInDays":35})"));
  EXPECT_THAT(prod, HasSubstr(R"("DeletionProtectionEnabled":true)"));
  EXPECT_THAT(prod, Not(HasSubstr("Conditions")));
  EXPECT_THAT(prod, Not(HasSubstr(R"("Ref":"Environment")")));
  const std::string dev = Compact(LoadForTest(), "dev");
  EXPECT_THAT(dev, HasSubstr(R"("PitrEnabled":{"Fn::Equals":[{"Ref":"EnablePITR"},"true"]})"));
  EXPECT_THAT(dev, HasSubstr(R"("DeletionProtectionEnabled":false)"));
  EXPECT_THAT(dev, Not(HasSubstr("AWS Backup")));
}

TEST(CloudFormationTest, RefusesUnknownEnvironments) {
  const auto text = ToCloudFormation(LoadForTest(), "qa");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message(),
            "There is no environment 'qa'; the model has dev, staging, prod.");
}

TEST(CloudFormationTest, HasAlarmsInBothForms) {
  const std::string text = Compact(LoadForTest());
  EXPECT_THAT(text,
              HasSubstr(R"("ShopThrottledAlarm":{"Type":"AWS::CloudWatch::Alarm","Properties":{)"
                        R"("AlarmName":"shop-throttled","Namespace":"AWS/DynamoDB",)"
                        R"("MetricName":"ThrottledRequests","Dimensions":[{"Name":"TableName",)"
                        R"("Value":{"Ref":"ShopTable"}}],"Statistic":"Sum","Period":300,)"
                        R"("EvaluationPeriods":2,"Threshold":10,)"
                        R"("ComparisonOperator":"GreaterThanThreshold",)"
                        R"("TreatMissingData":"notBreaching"}})"));
  EXPECT_THAT(text, HasSubstr(R"("ShopThrottledByOperationAlarm")"));
  EXPECT_THAT(text, HasSubstr(R"({"Name":"Operation","Value":"TransactWriteItems"})"));
  EXPECT_THAT(text, HasSubstr(R"~("Expression":"SUM(METRICS())")~"));
  // User errors are those of the account; no table has them.
  EXPECT_THAT(text, HasSubstr(R"("MetricName":"UserErrors","Statistic":"Sum")"));
  EXPECT_THAT(text, HasSubstr(R"("Threshold":0.5,"ComparisonOperator":"GreaterThanOrEqualTo)"));
  EXPECT_THAT(text, Not(HasSubstr("ShopUserErrorsByOperationAlarm")));
}

TEST(CloudFormationTest, TakesAKeyFromAParameter) {
  const std::string text = Compact(LoadForTest("EnablePITR: {default: \"false\"",
                                               "KmsKeyArn: {default: \"\"}\n"
                                               "  EnablePITR: {default: \"false\""));
  EXPECT_THAT(text,
              HasSubstr(R"("KmsKeyGiven":{"Fn::Not":[{"Fn::Equals":[{"Ref":"KmsKeyArn"},"")"));
  EXPECT_THAT(text, HasSubstr(R"("KMSMasterKeyId":{"Fn::If":["KmsKeyGiven",{"Ref":"KmsKeyArn"},)"
                              R"("alias/shop"]})"));
}

TEST(CloudFormationTest, ProvisionedTablesTakeTheirUnitsFromParameters) {
  const std::string text = Compact(LoadForTest("billing: on_demand", "billing: provisioned"));
  EXPECT_THAT(text, HasSubstr(R"("ReadCapacityUnits":{"Type":"Number","Default":5,"MinValue":1)"));
  EXPECT_THAT(text, HasSubstr(R"("BillingMode":"PROVISIONED","ProvisionedThroughput":{)"
                              R"("ReadCapacityUnits":{"Ref":"ReadCapacityUnits"})"));
}

TEST(CloudFormationTest, LeavesAdoptedTablesOut) {
  const auto text =
      ToCloudFormation(LoadForTest("type_attribute:", "adopt: true\n    type_attribute:"));
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message(), HasSubstr("nothing to create"));
}

TEST(CloudFormationNamesTest, MakesLogicalIds) {
  EXPECT_EQ(LogicalId("oms-trading-system-errors"), "OmsTradingSystemErrors");
  EXPECT_EQ(LogicalId("GSI1_x"), "GSI1X");
}

}  // namespace
}  // namespace monotable::model

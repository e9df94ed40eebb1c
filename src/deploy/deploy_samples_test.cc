#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "deploy/samples.h"
#include "deploy/server_for_tests.h"
#include "model/shop_for_tests.h"

namespace monotable::deploy {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kTwo = R"([
  {"table": "main", "item": {"PK": {"S": "BUYER#1"}, "SK": {"S": "x"}, "Price": {"N": "1.50"}}},
  {"table": "main", "item": {"PK": {"S": "BUYER#é"}, "SK": {"S": "y"}}}])";

TEST(SamplesTest, PutsWhatIsMissing) {
  const model::Model shop = model::LoadShop();
  FakeServer server;
  server.Answer("PutItem", "{}");
  server.Answer("PutItem", Error(ErrorCode::kConditionalCheckFailed, "it is there"));
  const auto counts = LoadSamples(shop, kTwo, {}, server.call());
  ASSERT_TRUE(counts) << counts.error().message();
  EXPECT_EQ(counts->written, 1);
  EXPECT_EQ(counts->kept, 1);
  ASSERT_EQ(server.asked.size(), 2u);
  EXPECT_EQ(server.asked[0].body,
            R"({"TableName":"shop_data_dev","Item":{"PK":{"S":"BUYER#1"},"SK":{"S":"x"},)"
            R"x("Price":{"N":"1.50"}},"ConditionExpression":"attribute_not_exists(#hash)",)x"
            R"("ExpressionAttributeNames":{"#hash":"PK"}})");
  EXPECT_THAT(server.asked[1].body, HasSubstr("BUYER#é"));
}

TEST(SamplesTest, OverwritesIfToldSo) {
  const model::Model shop = model::LoadShop();
  FakeServer server;
  server.Answer("PutItem", "{}");
  const auto counts = LoadSamples(
      shop, kTwo, {.target = {.environment = "prod"}, .overwrite = true}, server.call());
  ASSERT_TRUE(counts) << counts.error().message();
  EXPECT_EQ(counts->written, 2);
  EXPECT_EQ(server.asked[1].body,
            R"({"TableName":"shop_data_prod","Item":{"PK":{"S":"BUYER#é"},"SK":{"S":"y"}}})");
}

TEST(SamplesTest, RefusesOddTextsBeforeItWrites) {
  const model::Model shop = model::LoadShop();
  FakeServer server;
  server.Answer("PutItem", "{}");
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"", "not a JSON list"},
           {"{}", "not a JSON list"},
           {"[1]", "Sample 1: it is not an object"},
           {R"([{"table": "main"}])", "Sample 1: it has no item."},
           {R"([{"table": "main", "item": {}}, {"table": "man", "item": {}}])",
            "Sample 2: the model shop has no table 'man'."}}) {
    const auto counts = LoadSamples(shop, text, {}, server.call());
    ASSERT_FALSE(counts) << text;
    EXPECT_THAT(counts.error().message(), HasSubstr(message));
  }
  EXPECT_THAT(server.asked, IsEmpty());
}

// A table with enforced rules takes an item only after the item that it refers to.
TEST(SamplesTest, TriesAgainWhatIsRefusedAtFirst) {
  FakeServer server;
  server.Answer("PutItem", Error::Validation("there is no BUYER#é"));
  server.Answer("PutItem", "{}");
  const auto counts = LoadSamples(model::LoadShop(), kTwo, {}, server.call());
  ASSERT_TRUE(counts) << counts.error().message();
  EXPECT_EQ(counts->written, 2);
  ASSERT_EQ(server.asked.size(), 3u);
  EXPECT_EQ(server.asked[2].body, server.asked[0].body);
}

TEST(SamplesTest, SaysWhichSampleFailed) {
  FakeServer server;
  server.Answer("PutItem", Error::Validation("odd"));
  const auto counts = LoadSamples(model::LoadShop(), kTwo, {}, server.call());
  ASSERT_FALSE(counts);
  EXPECT_EQ(counts.error().message(), "Sample 1 into table shop_data_dev: odd");
}

}  // namespace
}  // namespace monotable::deploy

#include "model/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/shop_for_tests.h"

namespace monotable::model {
namespace {

using testing::HasSubstr;

std::string NameIn(const Model& model, std::string_view environment,
                   const ParameterValues& parameters = {}) {
  const auto name = TableNameIn(model, model.tables[0], environment, parameters);
  return name ? *name : name.error().message();
}

TEST(EnvironmentTest, FillsInEnvironmentAndParameters) {
  const Model shop = LoadShop();
  EXPECT_EQ(NameIn(shop, ""), "shop_data_dev");
  EXPECT_EQ(NameIn(shop, "prod"), "shop_data_prod");
  EXPECT_EQ(NameIn(shop, "staging", {{"TableName", "x.y"}}), "x.y_staging");
}

TEST(EnvironmentTest, NamesWhatIsUnknown) {
  const Model shop = LoadShop();
  EXPECT_EQ(NameIn(shop, "prodd"), "The model shop has no environment 'prodd'. Did you mean prod?");
  EXPECT_EQ(NameIn(shop, "elsewhere"),
            "The model shop has no environment 'elsewhere'. Give dev, staging, prod.");
  EXPECT_EQ(NameIn(shop, "dev", {{"TabelName", "x"}}),
            "The model shop has no parameter 'TabelName'. Did you mean TableName?");
  EXPECT_EQ(NameIn(shop, "dev", {{"EnablePITR", "treu"}}),
            "The parameter EnablePITR of the model shop cannot be 'treu'. Did you mean true?");
}

TEST(EnvironmentTest, RefusesNamesThatNoTableCanHave) {
  const Model shop = LoadShop();
  EXPECT_THAT(NameIn(shop, "", {{"TableName", "a b"}}), HasSubstr("would be called 'a b_dev'"));
  EXPECT_THAT(NameIn(shop, "", {{"TableName", std::string(252, 'x')}}), HasSubstr("3 to 255"));
}

TEST(EnvironmentTest, AModelWithoutEnvironmentsIsTheSameInAll) {
  Model shop = LoadShop();
  shop.environments.clear();
  EXPECT_EQ(NameIn(shop, ""), "shop_data_dev");
  EXPECT_EQ(NameIn(shop, "mine"), "shop_data_mine");
}

TEST(EnvironmentTest, TheFirstEnvironmentIsTheUsualOne) {
  const Model shop = LoadShop();
  EXPECT_EQ(EnvironmentIn(shop, "")->name, "dev");
  EXPECT_TRUE(EnvironmentIn(shop, "prod")->deletion_protection);
  EXPECT_EQ(ParametersIn(shop, {})->at("EnablePITR"), "false");
}

}  // namespace
}  // namespace monotable::model
